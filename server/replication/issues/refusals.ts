import { naturalId } from '@markbook/shared/ids'
import { isMisnamed } from '@markbook/shared/tables/natural'
import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import { isSame, pick, type RowState } from '@markbook/sync/merge/state'
import { unpackChecked } from '@markbook/sync/protocol/kinds'
import type { RowAnswer } from '@markbook/sync/protocol/messages'
import { packRows, travelling, unpackRows } from '@markbook/sync/protocol/page'
import { type RefusedWrite, refusedWrite } from '@markbook/sync/refused'
import { PENDING } from '@markbook/sync/stamp'
import { EXISTENCE, type Stamp } from '@markbook/sync/versions'
import { isNotNull, isNull, ne, or } from 'drizzle-orm'
import { applyStates } from '../../store/replica/apply.ts'
import { forgetRows, forgetWithAll } from '../../store/replica/forget.ts'
import { overwriteRow, replaceByTheirs } from '../../store/replica/overwrite.ts'
import { namedBelow } from '../../store/replica/remove-deleted.ts'
import { type KnownRow, knownRows } from '../../store/replica/states.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { isWritable } from '../scope/normal-form.ts'

/** This node, whether it is a person's, and up to which number of its feed the parent has answered. */
type Here = { node: string; isLaptop: boolean; sent: number }

/**
 * Writes of this node that its parent did not take, and that are kept (`keepRefused`): what the parent holds is written over each as a
 * new write of this node, so that this node's own children follow (SPEC, «Pushed rows are commands»).
 */
export async function takeRefusals(tx: WriteTx, here: Here, school: string, answers: readonly RowAnswer[]): Promise<void> {
  const order = Object.keys(descriptions)
  const known = answers.filter(({ table }) => Object.hasOwn(descriptions, table))
  const sorted = [...known].sort((a, b) => order.indexOf(a.table) - order.indexOf(b.table))
  // What was refused to be deleted is there again, parents first; what was refused to be made goes, children first.
  for (const answer of sorted) if (theirsIn(answer)) await takeRefusal(tx, here, school, answer)
  for (const answer of sorted.reverse()) if (!theirsIn(answer)) await takeRefusal(tx, here, school, answer)
}

/** The parent that refuses: its enrolment, and whether it is the first, of which a refusal is final. `own`: the number of this node. */
type Refusing = Pick<Row<'sync_peer'>, 'id' | 'school_id' | 'user_id'> & { isFirst: boolean; own: string }

/** Each write that was refused, as it is here: before anything of the parent's comes over it. Each stands once on the list. */
export async function keepRefused(tx: WriteTx, parent: Refusing, answers: readonly RowAnswer[]): Promise<void> {
  const school = parent.school_id as string
  for (const { table, id, units, code, outcome } of answers) {
    if (!Object.hasOwn(descriptions, table)) continue
    const known = (await knownRows(tx, table as Replicated, school, [id])).get(id)
    for (const unit of known ? units : []) {
      const reason = outcome === 'conflict' ? 'right_lost' : (code ?? 'refused')
      const write = known && refusedWrite(table as Replicated, known.state, unit, reason)
      if (!write || (parent.user_id !== null && isGivenWay(table, write, parent.own))) continue
      await keep(tx, parent, write, idOfOwn(school, table, id, unit, known.state.units[unit] as Stamp))
    }
  }
}

/** By nobody, under its own number, a laptop writes only what its first parent had, when that refused something. It is nobody's loss. */
export const isGivenWay = (table: string, { actor_id, node_id }: RefusedWrite, laptop: string): boolean =>
  table !== 'sync_conflict' && actor_id === null && node_id === laptop

/** Of a write of this node, by which it is told from what it refuses itself. */
const idOfOwn = (school: string, table: string, row: string, unit: string, [node, counter]: Stamp) =>
  naturalId('refusal', school, table, row, unit, node, String(counter), 'above')

/** What another parent refused is on the list until the first has answered for it. */
async function keep(tx: WriteTx, { id: parent_id, school_id, isFirst }: Refusing, write: RefusedWrite, id: string): Promise<void> {
  const { sync_refused } = tx.t
  const now = { code: write.code, refused_at: tx.now, seen_at: null, parent_id }
  const inserted = tx.local.insert(tx.t.sync_refused).values({ ...write, ...now, id, school_id: school_id as string, peer_id: null })
  const isSettled = or(isNotNull(sync_refused.seen_at), isNull(sync_refused.parent_id), ne(sync_refused.parent_id, parent_id))
  await (isFirst ? inserted.onConflictDoUpdate({ target: sync_refused.id, set: now, setWhere: isSettled }) : inserted.onConflictDoNothing())
}

/**
 * Of what a parent refuses that is not the first: writes that this node made, and for which `first` has yet to answer. What others made, and
 * this parent has never heard of, is still to come to it, and so is what the first has taken.
 */
export async function ofOwn(
  tx: ReadTx,
  { node, first }: { node: string; first: Pick<Row<'sync_peer'>, 'school_id' | 'own_seq' | 'own_people'> },
  answers: readonly RowAnswer[],
): Promise<RowAnswer[]> {
  const own: RowAnswer[] = []
  for (const answer of answers.filter(({ table }) => Object.hasOwn(descriptions, table))) {
    const table = answer.table as Replicated
    const known = (await knownRows(tx, table, first.school_id as string, [answer.id])).get(answer.id)
    const answered = descriptions[table].scope === 'commons' ? first.own_people : first.own_seq
    const units = answer.units.filter((unit) => {
      const [writer, counter] = known?.state.units[unit] ?? []
      return writer === node && (counter as number) > answered
    })
    // Gone here and there: nothing of it is at odds, and what the first parent has of it is still to hear of the deletion.
    const isGoneToo = answer.theirs !== null && theirsIn(answer) === null && known?.state.alive.length === 0
    if (known && units.length > 0 && !isGoneToo && (answer.theirs || isMadeBy(node, known.state))) own.push({ ...answer, units })
  }
  return own
}

/** Of a row that was deleted the stamp is the deletion's, which may be of what others made. */
export function isMadeBy(node: string, { alive, units, vv }: RowState): boolean {
  return alive.length > 0 ? units[EXISTENCE]?.[0] === node : Object.keys(vv).every((each) => each === node)
}

/** The row as the parent has it; null where it has none. */
const stateIn = ({ theirs }: RowAnswer): RowState | null => (theirs ? (unpackRows([theirs]).rows[0]?.state ?? null) : null)

/** Null also where it was deleted there. */
function theirsIn(answer: RowAnswer): RowState | null {
  const state = stateIn(answer)
  return state && state.alive.length > 0 ? state : null
}

async function takeRefusal(tx: WriteTx, { node, isLaptop, sent }: Here, school: string, answer: RowAnswer): Promise<void> {
  const { id, units } = answer
  const table = answer.table as Replicated
  const known = (await knownRows(tx, table, school, [id])).get(id)
  if (!known) return
  const [state, theirs] = [stateIn(answer), theirsIn(answer)]
  // What others made may still come to the parent by another way, with all that hangs on it: it must not be deleted with what was written
  // to it on a laptop, below which nobody has to follow.
  const isOthers = isLaptop && !state && !isMadeBy(node, known.state)
  // What this transaction has written over other refused writes is what the parent has: it comes again with them.
  const isAtParent = ({ vv, units: all }: RowState) =>
    [vv[node] ?? 0, ...Object.values(all).flatMap(([writer, counter]) => (writer === node ? [counter] : []))].every(
      (counter) => counter === PENDING || counter <= sent,
    )
  if (isOthers) return forgetWithAll(tx, table, school, id, (rows) => rows.every((row) => isAtParent(row.state)))
  if (isLaptop && state && !theirs && isReturned(known.state, state)) {
    // It stays for what hangs on it: what the parent has of that does not come again.
    if (isAtParent(known.state)) await replaceByTheirs(tx, school, table, known, state)
    else await applyStates(tx, school, [{ table, state }], { source: null })
    return
  }
  // Nor must what others wrote be written over here.
  const isOurs = units.some((unit) => known.state.units[unit]?.[0] === node) || (known.state.vv[node] ?? 0) > sent
  const isGone = known.state.alive.length === 0
  const named = Object.keys(descriptions[table].units).filter((unit) => (isGone && theirs) || units.includes(unit))
  // What says that the row is there is said anew as well: it may bear a number of which the parent has lost what it knew.
  const own = !isGone && theirs && units.includes(EXISTENCE) ? [EXISTENCE, ...named] : named
  const values = state ? Object.assign({}, ...own.map((unit) => pick(state.values, descriptions[table].units[unit] ?? []))) : {}
  const after = { ...known.state, values: { ...known.state.values, ...values } }
  // Over what cannot be read there, another write could not be read either; nobody has to follow a laptop.
  const cannotTravel = answer.code === 'malformed' && (isLaptop || !theirs || !isReadable(table, after))
  if ((!isOurs || cannotTravel) && (theirs || !known.row || !(await isNeeded(tx, school, table, known))))
    return replaceByTheirs(tx, school, table, known, theirs)
  if (cannotTravel) return
  // Of a row that is gone here, and may be, nothing else counts.
  if (isGone && theirs && !units.includes(EXISTENCE)) return
  // A laptop's deletion of what it had seen and the parent had not, refused with it, would cover here what comes to the parent yet.
  if (isGone && !theirs && isLaptop && !known.row && units.includes(EXISTENCE)) {
    await forgetRows(tx, table, school, [id])
    // Deleted there as well, it may stay there for something that lives, and comes here with that.
    if (state) await applyStates(tx, school, [{ table, state }], { source: null })
    return
  }
  // One that is gone on both sides may stay on both, for what hangs on it.
  if (isGone && !theirs && (!state || own.length === 0)) return
  await overwriteRow(tx, school, node, { table, known, units: state ? own : [], values, deletes: !theirs, theirs })
}

/**
 * A row that is gone at the parent by a deletion which is known here, and is here again by other writes, of which the parent has not heard
 * yet. A deletion of this node would cover them at whoever made them.
 */
const isReturned = ({ alive, units }: RowState, theirs: RowState): boolean =>
  alive.length > 0 && isSame(units[EXISTENCE], theirs.units[EXISTENCE])

/** Whether a parent takes no offence at what the row says by itself (`receive`, `Judge`). */
function isReadable(table: Replicated, state: RowState): boolean {
  const isSound = unpackChecked(packRows([{ table, state }])).rows.length === 1
  return isSound && !isMisnamed(table, state.values) && isWritable(table, state.values, travelling(table))
}

/** Something that is here hangs on it. */
async function isNeeded(tx: WriteTx, school: string, table: Replicated, known: KnownRow): Promise<boolean> {
  const needed = await namedBelow(tx, school, table, [known])
  return needed.size > 0
}
