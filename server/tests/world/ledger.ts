import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { ruleOf } from '@markbook/sync/merge/policy'
import { canonical, pick } from '@markbook/sync/merge/state'
import { EXISTENCE } from '@markbook/sync/versions'
import { and, eq, gt } from 'drizzle-orm'
import { rowsById } from '../../store/replica/states.ts'
import { statement } from '../../store/statement.ts'
import { asSystem } from '../../store/tx.ts'
import type { WorldNode } from './node.ts'

/** The value of a row's existence, for the units that say only that. */
export const THERE = '"there"'
export const GONE = '"gone"'

/**
 * An acknowledged write as the world remembers it, with nothing of the program's own versions: which value of which unit, and which
 * values it was written over, that is, which its author saw.
 */
export type Write = {
  node: string
  school: string
  table: Replicated
  row: string
  unit: string
  value: string
  /** Of the same row: unit and value. */
  over: readonly (readonly [unit: string, value: string])[]
  /** The history entry that says so, and its number in the feed of the node. */
  entry: string
  seq: number
  /** The disk on which it was made is gone, or its node was revoked. */
  orphaned: boolean
  /** And it was nowhere else. */
  forgiven: boolean
  /** Put into the database outside the program, which would not have taken it. */
  isImpossible?: true
}

export const keyOf = ({ table, row, unit }: Pick<Write, 'table' | 'row' | 'unit'>) => `${table} ${row} ${unit}`

/** Every acknowledged write of the world. */
export class Ledger {
  readonly writes: Write[] = []
  private readonly read = new Map<string, number>()

  /** What was there before the world began is nobody's write. */
  async begin(node: WorldNode, school: string): Promise<void> {
    const { seq } = await node.store.read(asSystem(), (tx) => tx.dialect.feedOf(tx.connection, school))
    this.read.set(placeOf(node, school), seq)
  }

  /** Takes down what this node has written since the last time. */
  async note(node: WorldNode, school: string): Promise<Write[]> {
    const place = placeOf(node, school)
    const after = this.read.get(place) ?? 0
    const fresh: Write[] = []
    const seq = await node.store.read(asSystem(), async (tx) => {
      const entries = await writtenAfter(tx, { school, node: node.store.nodeId, after })
      for (const entry of entries) {
        // What replication writes itself, over what was refused, is nobody's.
        if (entry.actor_id === null || !Object.hasOwn(descriptions, entry.entity)) continue
        const table = entry.entity as Replicated
        const [row] = await rowsById(tx, table, school, [entry.row_id])
        fresh.push(...writesOf(node.name, school, { ...entry, table }, row ?? null))
      }
      return (await tx.dialect.feedOf(tx.connection, school)).seq
    })
    this.read.set(place, seq)
    this.writes.push(...fresh)
    return fresh
  }
}

const writtenAfter = statement<{ school: string; node: string; after: number }>()(({ db, t: { history }, p }) =>
  db
    .select()
    .from(history)
    .where(and(eq(history.school_id, p.school), eq(history.node_id, p.node), gt(history.seq, p.after))),
)

const placeOf = (node: WorldNode, school: string) => `${node.name} ${node.store.nodeId} ${school}`

type Entry = {
  id: string
  seq: number
  table: Replicated
  row_id: string
  action: string
  changes: Readonly<Record<string, { before: unknown; after: unknown }>>
}

function writesOf(
  node: string,
  school: string,
  { id, seq, table, row_id, action, changes }: Entry,
  row: Record<string, unknown> | null,
): Write[] {
  const { units, sealed } = descriptions[table]
  if (sealed) return []
  const side = (which: 'before' | 'after', columns: readonly string[]) =>
    canonical(pick(Object.fromEntries(columns.map((name) => [name, name in changes ? changes[name]?.[which] : row?.[name]])), columns))
  const write = (unit: string, value: string, over: Write['over']): Write => ({
    node,
    school,
    table,
    row: row_id,
    unit,
    value,
    over,
    entry: id,
    seq,
    orphaned: false,
    forgiven: false,
  })
  const own = Object.entries(units)
  if (action === 'delete')
    return [write(EXISTENCE, GONE, [[EXISTENCE, THERE], ...own.map(([unit, columns]) => [unit, side('before', columns)] as const)])]
  if (action === 'create') {
    return [write(EXISTENCE, THERE, [[EXISTENCE, GONE]]), ...own.map(([unit, columns]) => write(unit, side('after', columns), []))]
  }
  return own
    .filter(([, columns]) => columns.some((name) => name in changes))
    .map(([unit, columns]) => write(unit, side('after', columns), [[unit, side('before', columns)]]))
}

/** Units of which the history alone keeps what did not stand. */
export const isQuiet = ({ table, unit }: Pick<Write, 'table' | 'unit'>): boolean => unit !== EXISTENCE && ruleOf(table, unit) === 'quiet'
