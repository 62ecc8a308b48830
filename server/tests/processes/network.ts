import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@markbook/shared/clock'
import { idSource } from '@markbook/shared/ids'
import { stBrigids } from '@markbook/shared/story/people'
import type { Store } from '../../store/store.ts'
import { asSystem } from '../../store/tx.ts'
import { type BadLine, badLineTo } from '../../testing/bad-line.ts'
import { type Program, programFile, runVerb, startProgram } from '../../testing/program.ts'
import { openAt, SECRET, settingsOf, signIn, type Where } from '../durability/marking.ts'

const newId = idSource(systemClock.now, (size) => randomBytes(size))
export const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

export async function until<T>(look: () => Promise<T | undefined | false>, what: string, ms = 60_000): Promise<T> {
  const began = performance.now()
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (performance.now() - began > ms) throw new Error(`${what} took longer than ${ms} ms`)
    await after(100)
  }
}

/** A server of a school, a centre or a teacher, in a process of its own, as it is shipped; with the line that others reach it by. */
export class Node {
  private program: Program | null = null
  /** The bundle that runs here, and settings beside its own. */
  version = programFile
  settings: Record<string, string> = {}

  private constructor(
    readonly name: string,
    readonly folder: string,
    readonly where: Where,
    readonly line: BadLine,
  ) {}

  /** `url` for one on Postgres; `at`: its scheme, and the address where it is reached. Nothing runs yet. */
  static async make(name: string, url?: string, at?: Parameters<typeof badLineTo>[1]): Promise<Node> {
    const folder = mkdtempSync(join(tmpdir(), `markbook-${name}-`))
    const made: { node?: Node } = {}
    const line = await badLineTo(() => made.node?.port ?? 9, at)
    made.node = new Node(name, folder, url ? { url } : { folder }, line)
    return made.node
  }

  /** What its server has said since it was started. */
  output = () => this.program?.output() ?? ''
  get port(): number | undefined {
    return this.program?.port
  }
  private get env() {
    return { ...settingsOf(this.where, this.folder), SESSION_SECRET: SECRET, NODE_NAME: this.name, LOG_LEVEL: 'warn', ...this.settings }
  }

  async start(): Promise<void> {
    this.program = await startProgram({ env: this.env, file: this.version })
  }
  /** Its exit code where it has ended by itself. */
  get fallen(): number | null | undefined {
    return this.program?.exit()
  }
  /** As a power cut does. */
  async kill(): Promise<void> {
    const { program } = this
    this.program = null
    await program?.cut()
  }
  async stop(): Promise<number | null> {
    const { program } = this
    this.program = null
    return program ? program.stop() : null
  }

  /** A verb of its command line, as somebody types it on its machine. */
  verb = (...args: string[]) => runVerb(args, { ...this.env, PORT: '0' }, this.version)

  /** What the verb said; it must have ended with 0. */
  async done(...args: string[]): Promise<string> {
    const { exit, text } = await this.verb(...args)
    assert.equal(exit, 0, `markbook ${args.join(' ')} at ${this.name}: ${text}`)
    return text
  }

  /** Its database, beside the server that may be running on it. */
  async look<T>(work: (store: Store) => Promise<T>): Promise<T> {
    const store = await openAt(this.where, newId, { beside: true })
    try {
      return await work(store)
    } finally {
      await store.close()
    }
  }
  /** The database before any server: made, and filled by `work`. */
  async prepare<T>(work: (store: Store) => Promise<T>): Promise<T> {
    const store = await openAt(this.where, newId)
    try {
      return await work(store)
    } finally {
      await store.close()
    }
  }

  /** Mrs Okafor's session here. */
  cookie = () => this.look((store) => store.write(asSystem(), signIn))

  /** Joins another by its line, or by one of its own to there, with a code that the other's console prints, and starts. */
  async joinAndStart(parent: Node, inviting: readonly string[], joining: readonly string[] = [], line = parent.line): Promise<void> {
    const said = await parent.done('node', 'invite', ...inviting)
    const code = /^ {4}([0-9A-Z-]{26,})$/m.exec(said)?.[1]
    if (!code) throw new Error(`no code was printed: ${said}`)
    assert.match(await this.done('join', line.url, code, ...joining), new RegExp(`Joined ${parent.name}`))
    await this.start()
  }

  /** The school has come here. */
  copied = () =>
    until(
      () =>
        this.look((store) =>
          store.read(asSystem(), async (tx) => {
            const [parent] = await tx.db.select().from(tx.t.sync_peer)
            return parent?.their_cursor?.split('/').length === 3 && (await tx.find('school', stBrigids, stBrigids)) !== undefined
          }),
        ),
      `the first copy of ${this.name}`,
    )

  async remove(): Promise<void> {
    await this.kill()
    await this.line.close()
    rmSync(this.folder, { recursive: true, force: true })
  }
}
