import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { nodeKeys } from '@markbook/server/replication/identity/keys'
import { LineFailure, ParentLine } from '@markbook/server/replication/line/parent-line'
import { naturalId } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import { SCHEMA_VERSION } from '@markbook/shared/tables/schema-version'
import { descriptions } from '@markbook/shared/tables/tables'
import { textToCursor } from '@markbook/sync/protocol/cursor'
import { type HistoryEntry, packEntries } from '@markbook/sync/protocol/entries'
import { PROTOCOL } from '@markbook/sync/protocol/messages'
import { packRows } from '@markbook/sync/protocol/page'
import { stamp } from '@markbook/sync/stamp'
import { EXISTENCE, type Versions } from '@markbook/sync/versions'
import { serveCommands } from '../program.ts'
import type { SmallSchool } from '../small-schools.ts'
import { quantile } from '../statistics.ts'

/**
 * Nodes of many schools in one process, without databases. Each sends `hello` and waits for changes; the first `writing` nodes push a mark
 * every `everyMs`.
 */
export type Wait = { url: string; secret: string; schools: SmallSchool[]; writing: number; everyMs: number }
/** The counts since all nodes wait for changes. `pushMs`: the median latency of a push. */
export type Waited = { pushes: number; pulls: number; pushMs: number }

/** A busy centre refuses a node for a moment, and the node tries again, as real nodes do (sync/machine.ts). */
const TRIES = 30
async function patient<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      const isBusy = error instanceof LineFailure && error.code === 'line'
      if (!isBusy || signal?.aborted || tries === TRIES) throw error
      await pause(500 + Math.random() * 1_000)
    }
  }
}

class SchoolNode {
  readonly pushTimes: number[] = []
  pulls = 0
  private readonly line: ParentLine
  private cursor: string
  private listening = new AbortController()
  private isOver = false
  private counter = 0
  private readonly marks = new Map<string, Versions>()

  constructor(
    private readonly school: SmallSchool,
    { url, secret }: Wait,
  ) {
    this.cursor = school.cursor
    const parent = textToCursor(school.cursor)?.epoch ?? ''
    const known = { id: school.peer, url, node_id: parent, public_key: nodeKeys(secret, parent).publicKey }
    this.line = new ParentLine(known, nodeKeys(secret, school.node), fetch)
  }

  async greet(): Promise<void> {
    const { node } = this.school
    const spoken = { protocol: PROTOCOL, schema: SCHEMA_VERSION, version: 'bench' }
    const hello = { ...spoken, node, kind: 'school', now: Date.now(), cursor: this.cursor }
    // This node has no database: it takes the number of its last write from the centre.
    this.counter = (await patient(() => this.line.hello(hello))).acknowledged
    await this.fetch()
  }

  /** Pushes what is due, and then waits for changes again, like a real node. */
  async live(everyMs: number | null, first: number): Promise<void> {
    let due = everyMs === null ? Number.POSITIVE_INFINITY : performance.now() + first
    while (!this.isOver) {
      await this.listen(due - performance.now())
      if (this.isOver || performance.now() < due) continue
      await this.push()
      due += everyMs as number
    }
  }

  end(): void {
    this.isOver = true
    this.listening.abort()
  }

  private async fetch(): Promise<void> {
    for (let isLast = false; !isLast; ) isLast = (await this.pull(0)).is_last
  }

  private async pull(wait: number, signal?: AbortSignal) {
    this.pulls += 1
    const page = await patient(() => this.line.pull({ cursor: this.cursor, wait, scope: null }, signal), signal)
    this.cursor = page.cursor
    return page
  }

  private async listen(ms: number): Promise<void> {
    if (ms <= 0) return
    this.listening = new AbortController()
    const { signal } = this.listening
    const hangUp = Number.isFinite(ms) ? setTimeout(() => this.listening.abort(), ms) : undefined
    try {
      await this.pull(limits.sync.longPollSeconds, signal)
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      clearTimeout(hangUp)
    }
  }

  private async push(): Promise<void> {
    const { node, teacher } = this.school
    const from = this.counter
    const to = from + 1
    this.counter = to
    const { id, values } = this.mark(to)
    const now = Date.now()
    const known = this.marks.get(id)
    const units = known ? ['score'] : [EXISTENCE, ...Object.keys(descriptions.grade.units)]
    const stamped = stamp(known ?? null, { units, node, now, actor: teacher })
    const versions = JSON.parse(JSON.stringify(stamped).replaceAll('"#"', String(to))) as Versions
    this.marks.set(id, versions)
    const tables = packRows([{ table: 'grade', state: { ...versions, id, schema: SCHEMA_VERSION, values, extra: null } }])
    const entry: HistoryEntry = {
      id: randomUUID(),
      at: new Date(now).toISOString(),
      actor_id: teacher,
      node_id: node,
      entity: 'grade',
      row_id: id,
      near_id: values.assessment_id,
      action: known ? 'update' : 'create',
      changes: JSON.stringify({ score: { before: null, after: values.score } }),
      detail: null,
      node_seq: to,
      head: createHash('sha256').update(`${node} ${to}`).digest('hex'),
      proof: null,
    }
    const sentAt = performance.now()
    const { answers } = await patient(() => this.line.push({ from, to, cursor: this.cursor, tables, history: packEntries([entry]) }))
    this.pushTimes.push(performance.now() - sentAt)
    if (answers.length > 0) throw new Error(`a mark of the benchmark was not taken: ${JSON.stringify(answers).slice(0, 300)}`)
  }

  private mark(counter: number) {
    const { id: school_id, assessment, term, pupils } = this.school
    const student = pupils[counter % pupils.length] as string
    const id = naturalId('grade', assessment, student)
    const made = { created_by: this.school.teacher, created_at: '2025-09-15T08:00:00.000Z' }
    const given = { score: (counter % 197) / 2, remarks: null, is_excluded: false, exclusion_reason: null }
    return { id, values: { id, school_id, assessment_id: assessment, term_id: term, student_id: student, ...made, ...given } }
  }
}

let nodes: SchoolNode[] = []
let lives: Promise<unknown> = Promise.resolve()

async function wait(job: Wait): Promise<void> {
  nodes = job.schools.map((school) => new SchoolNode(school, job))
  for (let at = 0; at < nodes.length; at += 10) await Promise.all(nodes.slice(at, at + 10).map((node) => node.greet()))
  for (const node of nodes) node.pulls = 0
  lives = Promise.all(nodes.map((node, at) => node.live(at < job.writing ? job.everyMs : null, ((at + 1) / job.writing) * job.everyMs)))
  lives.catch((error: Error) => void process.send?.({ failure: error.stack }))
  await pause(1_000)
}

async function stop(): Promise<Waited> {
  for (const node of nodes) node.end()
  await lives
  const times = nodes.flatMap(({ pushTimes }) => pushTimes)
  return { pushes: times.length, pulls: nodes.reduce((sum, node) => sum + node.pulls, 0), pushMs: quantile(times, 0.5) }
}

serveCommands({ wait, stop })
