import { rmSync } from 'node:fs'
import { type Client, clientOf } from '@markbook/shared/contract/client'
import { contract } from '@markbook/shared/contract/contract'
import type { PersonName } from '@markbook/shared/story/people'
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
import { type CookieSession, cookieName, sessionCookies } from '../http/cookies.ts'
import { silentLog } from '../http/log.ts'
import { createMetrics } from '../http/metrics.ts'
import type { Services } from '../http/services.ts'
import { keysOf } from '../http/tokens.ts'
import type { Mailer, MailMessage } from '../mail/mailer.ts'
import { asSystem } from '../store/tx.ts'
import { demandAsPromised } from './as-promised.ts'
import { repeatableIds, type TestClock, testClock } from './clock.ts'
import { type DatabaseName, detachTestDatabase, openTestDatabase, type TestDatabase } from './database.ts'
import { memoryFolder } from './memory-folder.ts'
import { builtWorker } from './program.ts'
import { type SchoolImage, SESSION_SECRET, signInAll, storyTemplate } from './story-template.ts'

const BASE = 'http://markbook.test'
/** A cache allocates its memory when it is created; with the server's size that was a fifth of the time to make a school. */
const FEW = 500

/** Shared by all schools of a file, since its workers are slow to start; they end with the tests. */
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
  /** A digest of everything stored: equal where nothing changed. */
  digest(): Promise<string>
  /**
   * Closes it, and keeps its database for schools that begin with it (`from`). Its clock must not have been moved, and it must have no
   * files.
   */
  image(): Promise<SchoolImage>
  close(): Promise<void>
}

export type SchoolOptions = {
  env?: Record<string, string>
  database?: DatabaseName
  story?: boolean
  seed?: string
  /** The initial database, as for `openTestDatabase`. */
  copyOf?: string
  /** The image of a school with the same options. */
  from?: SchoolImage
}

const clusterOf = (database: DatabaseName) => (database === 'postgres' ? inject('postgresUrl') : '')

export async function school(options: SchoolOptions = {}): Promise<School> {
  const { env = {}, database: chosen, story = true, seed = 'school', copyOf, from } = options
  const database = chosen ?? (process.env['TEST_DATABASE'] as DatabaseName)
  const clock = testClock()
  const nextId = repeatableIds(clock, seed)
  let ids = 0
  const newId = () => {
    ids += 1
    return nextId()
  }
  const begun = from ?? (story && !copyOf ? await storyTemplate(database, clusterOf(database), seed) : null)
  const at = await openTestDatabase(database, { clock, newId }, clusterOf(database), begun?.source ?? copyOf)
  while (ids < (begun?.ids ?? 0)) newId()
  const config = readConfig({ SESSION_SECRET, PUBLIC_URL: BASE, DEDICATED: 'false', OPEN_FOUNDING: 'true', ...env })
  const { mailer, outbox } = caughtMails()
  const folder = memoryFolder('markbook-files-')
  const own = {
    store: at.store,
    clock,
    config,
    keys: keysOf(config.sessionSecret),
    cache: memoryCache({ clock, entries: FEW }),
    mailer,
    ...storageIn(folder, clock, 0),
    documents,
    log: silentLog,
    metrics: createMetrics(),
    replication: null,
    presence: null,
    wiped: null,
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
  const named = { name: cookieName(config.cookiePrefix, config.projectRef), secure: false }
  const kept = from || config.sessionSecret === SESSION_SECRET ? begun?.sessions : undefined
  const sessions = kept ?? (story ? await signInAll(at.store, config.sessionSecret) : {})
  const cookies = Object.fromEntries(Object.entries(sessions).map(([name, session]) => [name, cookieFor(session, named)]))
  return {
    app,
    services,
    database: at,
    clock,
    outbox,
    clientWith,
    as: Object.fromEntries(Object.entries(cookies).map(([name, cookie]) => [name, clientWith(cookie)])) as School['as'],
    anonymous: clientWith(''),
    cookieOf: (name) => cookies[name] ?? '',
    rows: (table) =>
      at.store.read(asSystem(), (tx) =>
        tx.db
          .select()
          .from(tx.t[table] as never)
          .orderBy(getTableColumns(tx.t[table])['id'] as never),
      ) as never,
    digest: () => digestOf(at),
    image: async () => {
      await services.jobs.stop()
      rmSync(folder, { recursive: true, force: true })
      return { source: await detachTestDatabase(at), ids, sessions }
    },
    close: async () => {
      await services.jobs.stop()
      await at.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function caughtMails() {
  const outbox: MailMessage[] = []
  const mailer: Mailer = {
    send: (mail) => void outbox.push(mail),
    state: () => ({ kind: 'smtp', lastFailure: null, queued: 0 }),
    close: async () => {},
  }
  return { mailer, outbox }
}

/** The Cookie header of a session. */
const cookieFor = (session: CookieSession, named: Parameters<typeof sessionCookies>[1]) =>
  sessionCookies(session, named, 60, undefined)
    .map((cookie) => cookie.split(';')[0])
    .join('; ')

/** Tables of sessions and counters, which change with every request. */
const FLEETING = ['session', 'attempt', 'otp_code']

/** A sum of hashes does not depend on the order of rows; writing them as sorted text took ten times as long. */
const linesOnPostgres = (table: object) => {
  const { schema = 'public', name } = getTableConfig(table as PgTable)
  return `select '${name}' as name, (select count(*) || ' ' || sum(hash_record_extended(line, 0)) from "${schema}"."${name}" line) as lines`
}
const linesOnSqlite = (table: Table) => {
  const values = Object.values(getTableColumns(table)).map(({ name }) => `quote("${name}")`)
  const lines = `select ${values.join(" || ',' || ")} as line from "${getTableName(table)}" order by line`
  return `select '${getTableName(table)}' as name, (select group_concat(line, char(10)) from (${lines})) as lines`
}

/** The content of every table, hashed on Postgres: some tests compare it after every request. */
const digestOf = ({ store, url }: TestDatabase) =>
  store.read(asSystem(), async (tx) => {
    const tables = Object.values(tx.t).filter((table) => !FLEETING.includes(getTableName(table)))
    // For Postgres each statement is a message; SQLite limits the columns of a statement.
    const texts = url ? [tables.map(linesOnPostgres).join(' union all ')] : tables.map(linesOnSqlite)
    const contents: unknown[] = []
    for (const text of texts) contents.push(...(await tx.connection.rows(text, [])))
    return JSON.stringify(contents)
  })
