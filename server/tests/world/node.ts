import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, clientOf } from '@markbook/shared/contract/client'
import { contract } from '@markbook/shared/contract/contract'
import { type App, createApp } from '../../app/app.ts'
import type { Cache } from '../../cache/cache.ts'
import { memoryCache } from '../../cache/memory.ts'
import { readConfig } from '../../config.ts'
import type { Documents } from '../../documents/documents.ts'
import { storageIn } from '../../files/open.ts'
import { cookieName, sessionCookies } from '../../http/cookies.ts'
import type { Log } from '../../http/log.ts'
import { createMetrics } from '../../http/metrics.ts'
import type { Services } from '../../http/services.ts'
import { startSession } from '../../http/sessions.ts'
import { keysOf } from '../../http/tokens.ts'
import { openCentralStore, openSchoolStore, type Store } from '../../store/store.ts'
import { asSystem, type Identity, type WriteTx } from '../../store/tx.ts'
import type { CentralDisk } from '../../testing/central-disk.ts'
import { repeatableIds, type TestClock } from '../../testing/clock.ts'

/** The power goes: nothing of what is under way is finished, and whoever asked hears nothing. */
export class Crash extends Error {}

export type Kind = 'centre' | 'school' | 'laptop'
/** `disk`: the centre's database on Postgres; else all nodes keep SQLite files. */
export type NodePlan = { name: string; kind: Kind; folder: string; clock: TestClock; seed: string; disk?: CentralDisk; cloneOf?: string }

/** A node of the world: the real store and the real app, which can lose its power at any commit and be opened again. */
export class WorldNode {
  readonly name: string
  readonly kind: Kind
  readonly folder: string
  /** By how much this node's clock is wrong, ms. */
  skew = 0
  /** The next transaction that writes ends in a crash: undone, or done and never answered. */
  crash: 'before commit' | 'after commit' | null = null
  /** It was made to crash: what it said last is no finding. */
  crashed = false
  /** What the program itself could not handle; nothing of the kind may happen. */
  readonly errors: unknown[] = []
  /** What its log said of what it did not take from others. */
  readonly warnings: { at: number; line: unknown }[] = []
  private opened: { store: Store; services: Services; app: App | null } | null = null
  private openings = 0
  /** Of a database on Postgres, by the folder that stands for each. */
  private readonly copies = new Map<string, string>()
  private readonly cache: Cache
  private clients = new Map<string, Client<typeof contract>>()

  constructor(private readonly plan: NodePlan) {
    this.name = plan.name
    this.kind = plan.kind
    this.folder = plan.folder
    this.cache = memoryCache({ clock: this.clock, entries: 500 })
  }

  private readonly clock = { now: () => this.plan.clock.now() + this.skew }
  get store(): Store {
    return this.now.store
  }
  get services(): Services {
    return this.now.services
  }
  get app(): App {
    this.now.app ??= createApp(this.now.services)
    return this.now.app
  }
  private get now() {
    if (!this.opened) throw new Error(`${this.name} is switched off`)
    return this.opened
  }

  async open(): Promise<void> {
    const { folder, kind, seed, disk } = this.plan
    const { clock } = this
    await this.cache.close()
    this.openings += 1
    const newId = repeatableIds(clock as TestClock, `${seed}:${this.name}:${this.openings}`)
    const options = { clock, newId, role: kind === 'centre' ? kind : ('school' as const) }
    const store = await (disk ? openCentralStore(disk.url, options) : openSchoolStore(folder, options))
    this.opened = { store, services: this.servicesOf(store, clock), app: null }
    this.clients.clear()
  }

  async close(): Promise<void> {
    const { opened } = this
    this.opened = null
    await opened?.store.close()
  }

  /** Whatever was only in memory is gone. */
  async restart(): Promise<void> {
    this.crash = null
    this.crashed = false
    await this.close()
    await this.open()
  }

  /** A second machine with the same disk. */
  async clone(name: string): Promise<WorldNode> {
    const folder = `${this.folder}-${name}`
    await this.copyTo(folder)
    const twin = new WorldNode({ ...this.plan, name, folder, cloneOf: this.plan.cloneOf ?? this.name })
    await twin.open()
    return twin
  }

  /** The folder as it is now, elsewhere: a backup, or the disk of another laptop. */
  async copyTo(folder: string): Promise<void> {
    const { disk } = this.plan
    if (disk) {
      await this.close()
      this.copies.set(folder, await disk.copy())
      return this.open()
    }
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    // Nobody writes meanwhile, so that the file and its log belong together. The lock and the log's index are the process's.
    cpSync(this.folder, folder, { recursive: true, filter: (path) => !/(server\.lock|-shm)/.test(path) })
  }

  /** Back to an older copy of the folder. */
  async putBack(folder: string): Promise<void> {
    await this.close()
    const copy = this.copies.get(folder)
    if (copy) await this.plan.disk?.putBack(copy)
    if (copy) return this.open()
    rmSync(this.folder, { recursive: true, force: true })
    cpSync(folder, this.folder, { recursive: true })
    await this.open()
  }

  /** A typed client with the person's session. */
  async as(userId: string): Promise<Client<typeof contract>> {
    const known = this.clients.get(userId)
    if (known) return known
    const { store, keys, config } = this.services
    const session = await store.write(asSystem(), (tx) => startSession(tx, userId, keys))
    const cookie = sessionCookies(session, { name: cookieName(config.cookiePrefix, config.projectRef), secure: false }, 60, undefined)
      .map((each) => each.split(';')[0])
      .join('; ')
    const client = clientOf(contract, {
      baseUrl: ADDRESS,
      send: async (request) => {
        request.headers.set('cookie', cookie)
        return this.app.fetch(request)
      },
    })
    this.clients.set(userId, client)
    return client
  }

  private servicesOf(store: Store, clock: { now(): number }): Services {
    const config = readConfig({
      SESSION_SECRET: `a secret that nobody but ${this.plan.cloneOf ?? this.name} may know`,
      PUBLIC_URL: ADDRESS,
      DEDICATED: 'false',
    })
    const warn = ((line: unknown) => void this.warnings.push({ at: clock.now(), line })) as Log['warn']
    const log: Log = { info() {}, warn, error: ((line: { err?: unknown }) => void this.errors.push(line.err ?? line)) as Log['error'] }
    return {
      store: this.mortal(store),
      clock,
      config,
      keys: keysOf(config.sessionSecret),
      cache: this.cache,
      mailer: { send() {}, state: () => ({ kind: 'smtp', lastFailure: null, queued: 0 }), close: async () => {} },
      ...storageIn(join(this.folder, 'files'), clock, 0),
      documents: {} as Documents,
      jobs: {
        stopping: new AbortController().signal,
        look() {},
        wake() {},
        changed: async () => {},
        watch: () => () => {},
        stop: async () => {},
      } as unknown as Services['jobs'],
      replication: null,
      presence: null,
      wiped: null,
      demo: [],
      log,
      metrics: createMetrics(),
    }
  }

  /** The store, but that the power may go at a commit. */
  private mortal(store: Store): Store {
    const write = async <T>(identity: Identity, fn: (tx: WriteTx) => Promise<T>): Promise<T> => {
      const { crash } = this
      this.crash = null
      if (crash === 'before commit') {
        return store.write(identity, async (tx) => {
          await fn(tx)
          throw new Crash('the power went before the commit')
        })
      }
      const result = await store.write(identity, fn)
      if (crash === 'after commit') throw new Crash('the power went after the commit')
      return result
    }
    return new Proxy(store, { get: (target, name) => (name === 'write' ? write : Reflect.get(target, name, target)) })
  }
}

const ADDRESS = 'http://markbook.test'
