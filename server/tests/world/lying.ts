import { limits } from '@markbook/shared/limits'
import { entriesOf, type HistoryEntry, packEntries } from '@markbook/sync/protocol/entries'
import type { Push, Pushed } from '@markbook/sync/protocol/messages'
import { type Carried, packRows } from '@markbook/sync/protocol/page'
import type { Sheet } from '@markbook/sync/protocol/sheet'
import type { Vector } from '@markbook/sync/versions'
import { keysOfEnrolment } from '../../replication/incarnation/incarnation.ts'
import { LineFailure, ParentLine } from '../../replication/line/parent-line.ts'
import { numbersOf } from '../../replication/scope/writers.ts'
import { Child } from '../../replication/upstream/child.ts'
import { knownRows } from '../../store/replica/states.ts'
import { asSystem } from '../../store/tx.ts'
import type { Chance } from './chance.ts'
import type { Founded } from './founding.ts'
import { isSealed, kindsOfLies, type Lie, lieOf, MARK_OF_LIES, type Pen, storedOf } from './lies.ts'
import type { WorldNode } from './node.ts'
import { enrolmentAt } from './round.ts'
import { plainCarrier } from './stage.ts'

type Ends = { laptop: WorldNode; parent: WorldNode; school: Founded; user: string }
type NamedLie = { kind: string; lie: Lie }
type Speaking = { name: string; kind: string; isRevoked: boolean; parents: readonly string[] }
const MOST = 3
const OFTEN = 0.06

/** What is done to the honest share of a bundle, and must change nothing of what comes of it. */
const manners = [
  'as it is',
  'as it is',
  'with claims to have seen everything',
  'twice',
  'the second half first',
  'with forged history',
  'with unknown columns',
] as const

/**
 * Somebody who has the key of a laptop, and its program altered: in its sessions goes, beside what the laptop itself has to say, what its
 * person may not do. Answers are thrown away, and the laptop, which knows nothing of it, says its own again. Its oracle: of a lie nothing
 * is left at the parent but what says that it was refused; and the honest share of the bundle is dealt with as if it had come alone.
 */
export class LyingLaptop {
  private told = 0

  constructor(
    private readonly chance: Chance,
    private readonly tell: { say(text: string): void; fail(text: string): void },
  ) {}

  private readonly fresh = () => (this.told += 1)

  /** Whose key is used next, and where; nobody's, mostly. */
  next<M extends Speaking>(members: readonly M[]): { laptop: M; parent: M } | null {
    const laptops = members.filter(({ kind, isRevoked }) => kind === 'laptop' && !isRevoked)
    if (laptops.length === 0 || !this.chance.often(OFTEN)) return null
    const laptop = this.chance.pick(laptops)
    const name = this.chance.often(0.8) ? laptop.parents[0] : this.chance.pick(laptop.parents)
    const parent = members.find((each) => each.name === name)
    return parent ? { laptop, parent } : null
  }

  async speak(ends: Ends): Promise<void> {
    const { laptop, parent } = ends
    try {
      const enrolment = await enrolmentAt(laptop, parent)
      if (!enrolment) return
      const line = new ParentLine(enrolment, keysOfEnrolment(laptop.services, enrolment), plainCarrier(laptop, parent))
      const child = new Child(laptop.services, enrolment.id, line)
      if ((await child.greet()).anew) return
      const own = await enrolmentAt(laptop, parent)
      if (own) await this.bundle(ends, line, await child.pageAfter(own))
    } catch (error) {
      if (!(error instanceof LineFailure)) throw error
      this.tell.say(`· ${laptop.name} is not heard: ${error.code}`)
    }
  }

  private async bundle(ends: Ends, line: ParentLine, { push, rows }: { push: Push; rows: readonly Carried[] }): Promise<void> {
    const { laptop, parent, school } = ends
    const { chance } = this
    const own = await ownNumbers(ends)
    const lies = await this.liesFor(ends, { own, to: push.to, rows })
    const manner = chance.pick(manners)
    const isAhead = chance.often(0.1)
    this.tell.say(
      `${laptop.name} lies to ${parent.name}: ${lies.map(({ kind }) => kind).join(', ')}; ${rows.length} rows of its own ${manner}`,
    )
    const forged = lies.flatMap(({ lie }) => lie.rows)
    const written = await lastWriteOf(parent)
    const before = await storedOf(parent, school.id, forged, own)
    const warnings = parent.warnings.length
    const feed = () => parent.store.read(asSystem(), async (tx) => (await tx.dialect.feedOf(tx.connection, school.id)).seq)
    const honest = manner === 'with claims to have seen everything' ? await claiming(parent, { school, own }, rows) : rows
    const all: Push = { ...push, to: isAhead ? push.to + 1_000 : push.to, tables: packRows([...honest, ...forged]) }
    if (manner === 'with forged history') all.history = packEntries([...entriesOf(push.history), ...this.forgedHistory(ends, push)])
    if (manner === 'with unknown columns') all.tables = withUnknown(all.tables, this.fresh)
    if (manner === 'the second half first')
      await line.push({ ...all, tables: packRows(honest.slice(Math.ceil(honest.length / 2))), history: packEntries([]) })
    const pushed = await line.push(all)
    if (manner === 'twice') {
      const seq = await feed()
      await line.push(all)
      const asked = { after: seq, upTo: Number.MAX_SAFE_INTEGER, limit: 5 }
      const changed = await parent.store.read(asSystem(), (tx) => tx.dialect.feedEntries(tx.connection, school.id, asked))
      const rowsOf = changed.map(({ table_name, row_id }) => `${table_name} ${row_id}`).join(', ')
      if ((await feed()) !== seq) this.tell.fail(`a bundle that is said twice changes ${parent.name} twice: ${rowsOf}`)
    }
    const after = await storedOf(parent, school.id, forged, own)
    const kinds = lies.flatMap(({ kind, lie }) => lie.rows.map(() => kind))
    // A parent that finds out meanwhile that it was put back stamps its own writes anew.
    for (const [at, { table, state }] of (await lastWriteOf(parent)) === written ? forged.entries() : [])
      if (before[at] !== after[at])
        this.tell.fail(
          `${kinds[at]} leaves something at ${parent.name}: ${table} ${state.id}: ${changeOf(before[at] ?? '', after[at] ?? '')}`,
        )
    for (const each of lies) await this.checkRefused(ends, each, pushed)
    await this.checkHonest(ends, rows, pushed)
    // What became a conflict of kind `right` is no refusal.
    if (pushed.answers.some(({ id, outcome }) => outcome === 'refused' && forged.some(({ state }) => state.id === id)))
      this.checkLog(parent, warnings)
  }

  private async liesFor(
    ends: Ends,
    { own, to, rows }: { own: ReadonlySet<string>; to: number; rows: readonly Carried[] },
  ): Promise<NamedLie[]> {
    const { laptop, parent, school, user } = ends
    const { chance, fresh } = this
    const busy = new Set(rows.map(({ state }) => state.id))
    const pen: Pen = {
      parent,
      school,
      user,
      node: laptop.store.nodeId,
      own,
      counter: Math.max(to, 1),
      now: laptop.services.clock.now(),
      chance,
      fresh,
      busy,
    }
    const lies: NamedLie[] = []
    for (let left = 1 + chance.below(MOST); left > 0; left -= 1) {
      const kind = chance.pick(kindsOfLies)
      const lie = await lieOf(kind, pen)
      if (!lie) continue
      lies.push({ kind, lie })
      for (const { state } of lie.rows) busy.add(state.id)
    }
    return lies
  }

  /** Each unit is answered for, and at the school kept for its administrators. */
  private async checkRefused({ parent, school }: Ends, { kind, lie }: NamedLie, { answers }: Pushed): Promise<void> {
    for (const [at, { table, state }] of lie.rows.entries()) {
      const answer = answers.find((each) => each.table === table && each.id === state.id)
      for (const unit of lie.units[at] ?? []) {
        const isRefused = answer && (answer.outcome === 'refused' || answer.outcome === 'conflict') && answer.units.length > 0
        if (!isRefused) this.tell.fail(`${parent.name} does not refuse ${kind}: ${table} ${state.id} ${unit}: ${JSON.stringify(answer)}`)
        else if (
          lie.isKept !== false &&
          parent.kind === 'school' &&
          !isSealed(table) &&
          !(await this.isKept(parent, school, { table, id: state.id }))
        )
          this.tell.fail(`${parent.name} does not keep what it refused, ${kind}: ${table} ${state.id} ${unit} ${answer.code}`)
      }
    }
  }

  private isKept = ({ store }: WorldNode, { id: school }: Founded, { table, id }: { table: string; id: string }): Promise<boolean> =>
    store.read(asSystem(), async (tx) => {
      const { sync_refused, sync_conflict } = tx.t
      const refused = await tx.connection.db.select().from(sync_refused)
      const records = await tx.connection.db.select().from(sync_conflict)
      return (
        refused.some((row) => row.school_id === school && row.peer_id !== null && row.table_name === table && row.row_id === id) ||
        records.some((row) => row.school_id === school && row.kind === 'right' && row.entity === table && row.row_id === id)
      )
    })

  /** What the laptop wrote itself is in, or answered for. */
  private async checkHonest({ laptop, parent, school }: Ends, rows: readonly Carried[], { answers }: Pushed): Promise<void> {
    const node = laptop.store.nodeId
    const stored = await parent.store.read(asSystem(), (tx) => tx.connection.db.select().from(tx.t.sync_row))
    const seen = new Map(stored.map(({ table_name, row_id, vv }) => [`${table_name} ${row_id}`, vv]))
    for (const { table, state } of rows) {
      const counter = Math.max(0, ...Object.values(state.units).flatMap(([own, count]) => (own === node ? [count] : [])))
      if (counter === 0 || answers.some((each) => each.table === table && each.id === state.id)) continue
      const known = seen.get(`${table} ${state.id}`)
      const isIn = known !== undefined && ((JSON.parse(known) as Record<string, number>)[node] ?? 0) >= counter
      // The end of what the parent never heard of.
      if (!isIn && (known !== undefined || state.alive.length > 0))
        this.tell.fail(`${parent.name} neither takes nor refuses what comes beside a lie in ${school.id}: ${table} ${state.id}`)
    }
  }

  /** At most once a minute. */
  private checkLog(parent: WorldNode, before: number): void {
    const recent = parent.warnings.filter(({ at }) => Math.abs(parent.services.clock.now() - at) < limits.sync.refusalLog.everyMs)
    if (parent.warnings.length === before && recent.length === 0)
      this.tell.fail(`${parent.name} refuses a lie, and its log does not say so`)
  }

  /** In another's name, and under the number of the parent, which signs nothing of it. */
  private forgedHistory({ parent, school, laptop }: Ends, { to }: Push): HistoryEntry[] {
    const { chance } = this
    const id = () => chance.pick(school.subjects).replace(/.{12}$/, String(chance.below(1e12)).padStart(12, '0'))
    const row_id = chance.pick(school.subjects)
    const entry = (node_id: string, actor_id: string | null): HistoryEntry => ({
      id: id(),
      at: new Date(parent.services.clock.now()).toISOString(),
      actor_id,
      node_id,
      entity: 'subject',
      row_id,
      near_id: row_id,
      action: 'update',
      changes: JSON.stringify({ name: { before: 'Maths', after: `${MARK_OF_LIES}${this.fresh()}` } }),
      detail: null,
      node_seq: to,
      head: 'none',
      proof: null,
    })
    return [entry(parent.store.nodeId, chance.pick(school.admins)), entry(laptop.store.nodeId, null)]
  }
}

/** A node's last write to any row that it has, as its number says. */
async function lastWriteOf({ store }: WorldNode): Promise<string> {
  const rows = await store.read(asSystem(), (tx) => tx.connection.db.select().from(tx.t.sync_row))
  const counters = rows.map(({ vv }) => (JSON.parse(vv) as Vector)[store.nodeId] ?? 0)
  return `${store.nodeId} ${Math.max(0, ...counters)}`
}

/** The parts that are not the same. */
function changeOf(before: string, after: string): string {
  const [a, b] = [before, after].map((text) => (JSON.parse(text) as unknown[]).map((part) => JSON.stringify(part))) as [string[], string[]]
  return a.flatMap((part, at) => (part === b[at] ? [] : [`${part} → ${b[at]}`])).join('; ')
}

/**
 * As if every other node's writes to come were known to it. Not where the parent has some that it has not seen: whoever may write the row
 * may say that they saw what stands there, and write over it.
 */
async function claiming(
  parent: WorldNode,
  { school: { id: school }, own: mine }: { school: Founded; own: ReadonlySet<string> },
  rows: readonly Carried[],
): Promise<Carried[]> {
  const claimed: Carried[] = []
  for (const { table, state } of rows) {
    const known = (await parent.store.read(asSystem(), (tx) => knownRows(tx, table, school, [state.id]))).get(state.id)?.state.vv ?? {}
    const isOther = (node: string) => !mine.has(node) && !Object.values(state.units).some(([own]) => own === node)
    const isSeen = (node: string) => (known[node] ?? 0) <= (state.vv[node] ?? 0)
    const nodes = [...Object.keys(state.vv), parent.store.nodeId].filter((node) => isOther(node) && isSeen(node))
    claimed.push({ table, state: { ...state, vv: { ...state.vv, ...Object.fromEntries(nodes.map((node) => [node, 1_000_000_000])) } } })
  }
  return claimed
}

/** Under which the person's laptops were enrolled. */
async function ownNumbers({ laptop, parent, school, user }: Ends): Promise<ReadonlySet<string>> {
  const listed = await parent.store.read(asSystem(), (tx) => numbersOf(tx, { school: school.id, user }))
  return new Set([laptop.store.nodeId, ...listed.map(({ node_id }) => node_id)])
}

function withUnknown(sheets: readonly Sheet[], fresh: () => number): Sheet[] {
  const lie = { all: `${MARK_OF_LIES}${fresh()}` }
  const widened = sheets.map((sheet) => ({
    ...sheet,
    columns: [...sheet.columns, 'nonsense', 'more_nonsense'],
    units: { ...sheet.units, nonsense: ['more_nonsense'] },
    cells: [...sheet.cells, lie, lie],
  }))
  const [first] = widened
  return first ? [...widened, { ...first, table: 'nonsense' }] : widened
}
