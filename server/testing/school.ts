import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, clientOf } from '@markbook/shared/contract/client'
import { contract } from '@markbook/shared/contract/contract'
import { type PersonName, people } from '@markbook/shared/story/people'
import type { Replicated, Row } from '@markbook/shared/tables/tables'
import { getTableColumns, getTableName, type Table } from 'drizzle-orm'
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core'
import { inject } from 'vitest'
import { type App, createApp } from '../app/app.ts'
import { memoryCache } from '../cache/memory.ts'
import { readConfig } from '../config.ts'
import { openDocuments } from '../documents/workers/open-documents.ts'
import { openJobs } from '../features/jobs/open-jobs.ts'
import { makeReportPdfs } from '../features/reports/files/report-pdfs.job.ts'
import { storageIn } from '../files/open.ts'
import { cookieName, sessionCookies } from '../http/cookies.ts'
import { silentLog } from '../http/log.ts'
import { createMetrics } from '../http/metrics.ts'
import type { Services } from '../http/services.ts'
import { startSession } from '../http/sessions.ts'
import { keysOf } from '../http/tokens.ts'
import type { MailMessage } from '../mail/mailer.ts'
import { asSystem } from '../store/tx.ts'
import { demandAsPromised } from './as-promised.ts'
import { repeatableIds, type TestClock, testClock } from './clock.ts'
import { type DatabaseName, openTestDatabase, type TestDatabase } from './database.ts'
import { builtWorker } from './program.ts'
import { storyTemplate } from './story-template.ts'

const BASE = 'http://markbook.test'

/** One for all schools of a file, since its workers take a while to start; they end with the tests. */
const documents = openDocuments({ entry: builtWorker })

/** A school of the story behind the whole app, on the database of this run, with a client for every person. */
export type School = {
  app: App
  services: Services
  database: TestDatabase
  clock: TestClock
  /** The mails that were sent, oldest first. */
  outbox: MailMessage[]
  /** A typed client with the person's cookie. */
  as: Record<PersonName, Client<typeof contract>>
  anonymous: Client<typeof contract>
  /** The Cookie header of a person's session. */
  cookieOf(name: PersonName): string
  clientWith(cookie: string): Client<typeof contract>
  rows<T extends Replicated>(table: T): Promise<Row<T>[]>
  /** Of everything stored: two digests of one school are equal where nothing changed. */
  digest(): Promise<string>
  close(): Promise<void>
}

export type SchoolOptions = { env?: Record<string, string>; database?: DatabaseName; story?: boolean; seed?: string; copyOf?: string }

const clusterOf = (database: DatabaseName) => (database === 'postgres' ? inject('postgresUrl') : '')

export async function school({ env = {}, database: chosen, story = true, seed = 'school', copyOf }: SchoolOptions = {}): Promise<School> {
  const database = chosen ?? (process.env['TEST_DATABASE'] as DatabaseName)
  const clock = testClock()
  const newId = repeatableIds(clock, seed)
  const template = story && !copyOf ? await storyTemplate(database, clusterOf(database), seed) : null
  const at = await openTestDatabase(database, { clock, newId }, clusterOf(database), template?.source ?? copyOf)
  for (let drawn = 0; drawn < (template?.ids ?? 0); drawn += 1) newId()
  const config = readConfig({
    SESSION_SECRET: 'a secret that only the tests of Markbook know',
    PUBLIC_URL: BASE,
    DEDICATED: 'false',
    ...env,
  })
  const outbox: MailMessage[] = []
  const mailer = {
    send: (mail: MailMessage) => void outbox.push(mail),
    state: () => ({ kind: 'smtp' as const, lastFailure: null, queued: 0 }),
    close: async () => {},
  }
  const folder = mkdtempSync(join(tmpdir(), 'markbook-files-'))
  const own = {
    store: at.store,
    clock,
    config,
    keys: keysOf(config.sessionSecret),
    cache: memoryCache({ clock }),
    mailer,
    ...storageIn(folder, clock, 0),
    documents,
    log: silentLog,
    metrics: createMetrics(),
    replication: null,
    presence: null,
    demo: [],
  }
  const services: Services = { ...own, jobs: openJobs(own, { report_pdfs: makeReportPdfs }) }
  const app = createApp(services)
  const clientWith = (cookie: string) =>
    clientOf(contract, {
      baseUrl: BASE,
      send: async (request) => {
        if (cookie) request.headers.set('cookie', cookie)
        const response = await app.fetch(request)
        await demandAsPromised(request, response)
        return response
      },
    })
  const cookies = story ? await signInAll(services) : ({} as Record<PersonName, string>)
  return {
    app,
    services,
    database: at,
    clock,
    outbox,
    clientWith,
    as: Object.fromEntries(Object.entries(cookies).map(([name, cookie]) => [name, clientWith(cookie)])) as School['as'],
    anonymous: clientWith(''),
    cookieOf: (name) => cookies[name],
    rows: (table) =>
      at.store.read(asSystem(), (tx) =>
        tx.db
          .select()
          .from(tx.t[table] as never)
          .orderBy(getTableColumns(tx.t[table])['id'] as never),
      ) as never,
    digest: () => digestOf(at),
    close: async () => {
      await services.jobs.stop()
      await at.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Sessions for everybody of the story, without the post: sign-in itself has tests of its own. */
async function signInAll({ store, keys, config }: Services): Promise<Record<PersonName, string>> {
  const settings = { name: cookieName(config.cookiePrefix, config.projectRef), secure: false }
  return store.write(asSystem(), async (tx) => {
    const cookies: [string, string][] = []
    for (const [name, { id }] of Object.entries(people)) {
      const session = await startSession(tx, id, keys)
      cookies.push([
        name,
        sessionCookies(session, settings, 60, undefined)
          .map((cookie) => cookie.split(';')[0])
          .join('; '),
      ])
    }
    return Object.fromEntries(cookies) as Record<PersonName, string>
  })
}

/** Sessions and attempts come and go with every request. */
const FLEETING = ['session', 'attempt', 'otp_code']

/** A sum of hashes does not depend on the order of the lines; to write them as sorted text took ten times as long. */
const linesOnPostgres = (table: object) => {
  const { schema = 'public', name } = getTableConfig(table as PgTable)
  return `select '${name}' as name, (select count(*) || ' ' || sum(hash_record_extended(line, 0)) from "${schema}"."${name}" line) as lines`
}
const linesOnSqlite = (table: Table) => {
  const values = Object.values(getTableColumns(table)).map(({ name }) => `quote("${name}")`)
  const lines = `select ${values.join(" || ',' || ")} as line from "${getTableName(table)}" order by line`
  return `select '${getTableName(table)}' as name, (select group_concat(line, char(10)) from (${lines})) as lines`
}

/** What stands in every table, in short on Postgres: some tests ask for it with every request that they send. */
const digestOf = ({ store, url }: TestDatabase) =>
  store.read(asSystem(), async (tx) => {
    const tables = Object.values(tx.t).filter((table) => !FLEETING.includes(getTableName(table)))
    // To Postgres every statement is a message; SQLite has a limit to the columns of one.
    const texts = url ? [tables.map(linesOnPostgres).join(' union all ')] : tables.map(linesOnSqlite)
    const contents: unknown[] = []
    for (const text of texts) contents.push(...(await tx.connection.rows(text, [])))
    return JSON.stringify(contents)
  })
