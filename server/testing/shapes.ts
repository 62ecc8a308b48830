import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ChangeMessage, type Message, Shape, type Row as ShapeRow, ShapeStream, type ShapeStreamOptions } from '@electric-sql/client'
import { type Client, clientOf } from '@markbook/shared/contract/client'
import { contract } from '@markbook/shared/contract/contract'
import { type PersonName, people } from '@markbook/shared/story/people'
import postgres from 'postgres'
import { inject } from 'vitest'
import { loadStory } from '../cli/seed/seed.ts'
import { type Config, readConfig } from '../config.ts'
import { cookieName, sessionCookies } from '../http/cookies.ts'
import type { Services } from '../http/services.ts'
import { startSession } from '../http/sessions.ts'
import { openStore, type Running, startServer } from '../start.ts'
import { asSystem } from '../store/tx.ts'
import { freePort } from './cluster.ts'
import { copyDatabase, createDatabase } from './database.ts'

const onPostgres = process.env['TEST_DATABASE'] === 'postgres'

/** A follower of a shape, with the official client. */
type Follower = {
  shape: Shape
  stream: ShapeStream
  /** How often it had to start again. */
  refetches: () => number
  /** The statuses of refusals. */
  refused: () => number[]
  /** The ids of the client's rows, sorted. */
  ids(): string[]
  end(): void
}

/** A listening server in this process, with the school of the story. */
export type Box = {
  url: string
  services(): Services
  as(name: PersonName): Client<typeof contract>
  cookie(name: PersonName): string
  /** Sends one request without the client. */
  get(name: PersonName | null, query: Record<string, string>, headers?: Record<string, string>): Promise<Response>
  follow(name: PersonName, params: ShapeStreamOptions['params'], more?: Partial<ShapeStreamOptions>): Follower
  /** Stops all followers. */
  letGo(): void
  stop(): Promise<void>
  start(): Promise<void>
  /**
   * Saves the database in its present state; returns a function that restores it, as `markbook restore` does. The server must be stopped.
   */
  backUp(): Promise<() => Promise<void>>
  close(): Promise<void>
}

type ShapeDatabase = { config: Config; drop(): Promise<void> }

export async function openBox(): Promise<Box> {
  const port = await freePort()
  const places: ShapeDatabase[] = [await placeAt(port)]
  const here = () => (places.at(-1) as ShapeDatabase).config
  await withStore(here(), (store) => loadStory(store))
  let running: Running | null = await startServer(here())
  const url = `http://127.0.0.1:${port}`
  const cookies = await cookiesFor(running.node.services)
  const followers: Follower[] = []
  const cookie = (name: PersonName) => cookies.get(name) ?? ''
  const letGo = () => {
    for (const follower of followers.splice(0)) follower.end()
  }
  return {
    url,
    cookie,
    services: () => (running as Running).node.services,
    as: (name) =>
      clientOf(contract, { baseUrl: url, send: (request) => fetch(new Request(request, { headers: headersOf(request, cookie(name)) })) }),
    get: (name, query, headers = {}) =>
      fetch(`${url}/v1/shape?${new URLSearchParams(query)}`, { headers: { ...(name && { cookie: cookie(name) }), ...headers } }),
    follow(name, params, more = {}) {
      const follower = followerOf(`${url}/v1/shape`, cookie(name), params, more)
      followers.push(follower)
      return follower
    },
    async stop() {
      await running?.stop()
      running = null
    },
    async start() {
      running = await startServer(here())
    },
    async backUp() {
      const copy = await copyOf(here(), port)
      return async () => {
        places.push(copy)
        await withStore(copy.config, (store) => store.renewNode())
      }
    },
    letGo,
    async close() {
      letGo()
      await running?.stop()
      for (const { drop } of places) await drop()
    },
  }
}

const headersOf = (request: Request, cookie: string) => {
  const headers = new Headers(request.headers)
  headers.set('cookie', cookie)
  return headers
}

function configAt(folder: string, port: number, database: string | null): Config {
  return readConfig({
    DATA_DIR: folder,
    PORT: String(port),
    SESSION_SECRET: 'a secret that only the tests of Markbook know',
    BACKUPS: 'false',
    DEDICATED: 'false',
    LOG_LEVEL: 'silent',
    ...(database && { DATABASE_URL: database }),
  })
}

async function placeAt(port: number): Promise<ShapeDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'markbook-shapes-'))
  const database = onPostgres ? await createDatabase(inject('postgresUrl')) : null
  const drop = async () => {
    await database?.drop()
    rmSync(folder, { recursive: true, force: true })
  }
  return { config: configAt(folder, port, database?.url ?? null), drop }
}

async function copyOf({ dataDir, databaseUrl }: Config, port: number): Promise<ShapeDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'markbook-shapes-'))
  const away = async () => rmSync(folder, { recursive: true, force: true })
  if (!databaseUrl) {
    copyDatabase(dataDir, folder)
    return { config: configAt(folder, port, null), drop: away }
  }
  const name = `${new URL(databaseUrl).pathname.slice(1)}_copy`
  const administer = async (text: string) => {
    const sql = postgres(inject('postgresUrl'), { max: 1, onnotice: () => {} })
    await sql.unsafe(text).finally(() => sql.end({ timeout: 5 }))
  }
  await administer(`create database ${name} template ${new URL(databaseUrl).pathname.slice(1)}`)
  const url = Object.assign(new URL(databaseUrl), { pathname: `/${name}` }).href
  const drop = async () => {
    await administer(`drop database if exists ${name} with (force)`)
    await away()
  }
  return { config: configAt(folder, port, url), drop }
}

async function withStore(config: Config, work: (store: Awaited<ReturnType<typeof openStore>>) => Promise<unknown>): Promise<void> {
  const store = await openStore(config)
  await work(store).finally(() => store.close())
}

const cookiesFor = ({ store, keys, config }: Services) =>
  store.write(asSystem(), async (tx) => {
    const settings = { name: cookieName(config.cookiePrefix, config.projectRef), secure: false }
    const cookies = new Map<PersonName, string>()
    for (const [name, { id }] of Object.entries(people)) {
      const pieces = sessionCookies(await startSession(tx, id, keys), settings, 60, undefined)
      cookies.set(name as PersonName, pieces.map((piece) => piece.split(';')[0]).join('; '))
    }
    return cookies
  })

function followerOf(url: string, cookie: string, params: ShapeStreamOptions['params'], more: Partial<ShapeStreamOptions>): Follower {
  const ending = new AbortController()
  const refused: number[] = []
  let refetches = 0
  const stream = new ShapeStream({
    url,
    params,
    headers: { cookie },
    signal: ending.signal,
    backoffOptions: { initialDelay: 50, maxDelay: 200, multiplier: 2 },
    onError: (error) => void refused.push((error as { status?: number }).status ?? 0),
    ...more,
  } as ShapeStreamOptions)
  stream.subscribe((messages) => {
    for (const { headers } of messages) if ('control' in headers && headers.control === 'must-refetch') refetches += 1
  })
  const shape = new Shape<ShapeRow>(stream)
  return {
    shape,
    stream,
    refetches: () => refetches,
    refused: () => refused,
    ids: () => shape.currentRows.map((row) => String(row['id'])).sort(),
    end: () => ending.abort(),
  }
}

export const isChange = (message: Message): message is ChangeMessage => 'key' in message

/** Checks repeatedly, for at most 15 s. */
export async function until(isSo: () => boolean, what = 'it to happen'): Promise<void> {
  for (let tries = 0; tries < 750; tries += 1) {
    if (isSo()) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`waited in vain for ${what}`)
}
