import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import { clipped, type LimitOf } from '@markbook/sync/merge/claims'
import { isSame, pick, type RowState } from '@markbook/sync/merge/state'
import { covers, EXISTENCE, type Presence, type Stamp, sameDot, type Vector } from '@markbook/sync/versions'
import { isLost, type KnownRow } from '../../store/replica/states.ts'
import { isTakenAsSigned, type RowProofs } from '../journal/row-proofs.ts'
import type { Limits } from '../scope/writers.ts'
import type { Judge, Verdict } from './judge.ts'

/** By whom a state is judged and proved, for which writers its sender answers, and up to which counter each number was heard. */
export type Claiming = {
  peer: Row<'sync_peer'>
  judge: Judge
  limits: Limits
  heard: ReadonlyMap<string, number>
  proofs: RowProofs
  /** No writer has written so often: a claim of more is none. */
  mostPlausible: number
}

/** What is taken of a state; null where the rest cannot be taken without what was refused. */
export async function restOf(
  claiming: Claiming,
  table: Replicated,
  state: RowState,
  known: KnownRow | undefined,
  verdicts: readonly Verdict[],
): Promise<RowState | null> {
  // Of such a row that is refused a laptop leaves nothing: what it says next would be judged as if rights had changed meanwhile.
  const isSilent = claiming.peer.kind === 'laptop' && descriptions[table].notOnLaptops && verdicts.length > 0
  const limitOf: LimitOf = isSilent ? () => 0 : claiming.limits(table, known !== undefined)
  const here = known?.state.vv ?? {}
  const seen = await seenIn(claiming, table, state, { known, verdicts, limitOf })
  const claimOf: LimitOf = (node) => Math.max(limitOf(node), seen.get(node) ?? 0)
  const vv: Record<string, number> = { ...clipped(state.vv, here, claimOf) }
  for (const [node, counter] of await unseenIn(claiming, table, state, known)) {
    vv[node] = Math.min(vv[node] ?? 0, counter - 1)
    if (vv[node] === 0) delete vv[node]
  }
  const claimed = { ...state, vv, alive: presentIn(state, vv, known, [claiming.peer.node_id, claiming.judge.epoch]) }
  return verdicts.length === 0 ? claimed : withoutUnits(table, claimed, known, verdicts)
}

/** Of which writers a state is believed to have seen more than is known here of the row, and up to which counter. */
async function seenIn(
  claiming: Claiming,
  table: Replicated,
  state: RowState,
  { known, verdicts, limitOf }: { known: KnownRow | undefined; verdicts: readonly Verdict[]; limitOf: LimitOf },
): Promise<ReadonlyMap<string, number>> {
  const bearers = new Set(verdicts.flatMap(({ unit, code }) => (code === 'not_yours' ? (state.units[unit]?.[0] ?? []) : [])))
  const seen = new Map<string, number>()
  const isNews = (node: string, counter: number) =>
    !bearers.has(node) && counter > Math.max(limitOf(node), known?.state.vv[node] ?? 0, seen.get(node) ?? 0)
  for (const [node, counter] of Object.entries(state.vv))
    if (isNews(node, counter)) seen.set(node, await seenOf(claiming, table, state, [node, counter], known))
  // Of a write that says that the row is there: whoever tells one that was made has it from its writer, and one that was heard has come.
  for (const dot of [...state.alive, ...(known?.state.alive ?? [])])
    if (isNews(...dot) && covers(state.vv, dot) && (isHeard(claiming, dot) || (await claiming.proofs.isMade(table, state, dot))))
      seen.set(...dot)
  // Whoever wrote a unit that is taken had seen what the same database had written to the row before; those of a row that goes are not looked at.
  const refused = new Set(verdicts.map(({ unit }) => unit))
  for (const [unit, [node, counter]] of Object.entries(state.alive.length > 0 ? state.units : {}))
    if (!refused.has(unit) && !bearers.has(node)) seen.set(node, Math.max(seen.get(node) ?? 0, counter))
  return seen
}

const isHeard = ({ heard, peer }: Claiming, [node, counter]: Presence): boolean =>
  node !== peer.node_id && (heard.get(node) ?? 0) >= counter

/**
 * The writes that say that the row is there, of those that the state can have seen or that say so here; none of them, and it is there as it
 * was. One that nobody made would be seen by no deletion, ever. `both`: the numbers of the laptop and of this node, whose writes are known
 * here; one of somebody else may have yet to come.
 */
function presentIn({ alive }: RowState, vv: Vector, known: KnownRow | undefined, both: readonly string[]): readonly Presence[] {
  const here = known?.state.alive ?? []
  const isOthers = ([node]: Presence) => !both.includes(node)
  const seen = alive.filter(
    (each) => covers(vv, each) || isOthers(each) || here.some(([node, counter]) => node === each[0] && counter === each[1]),
  )
  if (seen.length > 0 || alive.length === 0) return seen
  return known ? here : alive
}

/**
 * How much of a claim to have seen writes of a node that have yet to come here counts: a laptop with two parents may have seen such. What the
 * history tells of the row; and where laptops are told no history, of one's own profile and of conflicts, what anybody can have written. Of its
 * own writes this node knows that there are no others.
 */
async function seenOf(
  { peer, judge, proofs, mostPlausible }: Claiming,
  table: Replicated,
  state: RowState,
  claim: readonly [string, number],
  known: KnownRow | undefined,
): Promise<number> {
  const [node, counter] = claim
  if (isTakenAsSigned(table)) return proofs.seenOf(table, state, claim, known?.state)
  const isPlausible = node !== judge.epoch && counter <= mostPlausible
  const isSilent = peer.kind !== 'laptop' || table === 'sync_conflict' || (table === 'user_profile' && state.id === peer.user_id)
  return isPlausible && isSilent ? counter : 0
}

/**
 * Of what stands here, the writes that others' writes in a state of a laptop cannot be shown to have seen, whatever it says: where the two meet,
 * one of them is kept as a conflict. A signature says what somebody wrote, and not what they had seen.
 */
async function unseenIn(
  { peer, judge, limits: answered }: Claiming,
  table: Replicated,
  state: RowState,
  known: KnownRow | undefined,
): Promise<Presence[]> {
  if (peer.kind !== 'laptop' || !known || isLost(known) || !isTakenAsSigned(table)) return []
  const limitOf = answered(table, true)
  const here = known.state
  const unseen: Presence[] = []
  for (const [unit, stamp] of Object.entries(state.units)) {
    if (covers(here.vv, stamp)) continue
    const own = here.units[unit]
    // A database has seen what it wrote before: also of another unit, or the state would bear what it is not believed to have seen.
    const isEarlier = ([node, counter]: Presence | Stamp) => node === stamp[0] && counter < stamp[1]
    if (own && unit !== EXISTENCE && bears(state, own)) continue
    // What saw another write of a unit is later (I3), whatever clocks say.
    if (own && unit !== EXISTENCE && stamp[2] <= own[2]) unseen.push([own[0], own[1]])
    if (stamp[1] <= limitOf(stamp[0]) && stamp[3] !== null) continue
    if (unit === EXISTENCE) {
      // A deletion had to see all that was written to the row.
      const others = state.alive.length === 0 ? here.alive.filter((each) => !isEarlier(each)) : []
      if (others.length > 0 && !(await judge.hasSeenAll(table, state, here))) unseen.push(...others)
      continue
    }
    const columns = descriptions[table].units[unit] ?? []
    if (
      own &&
      !isSame(pick(state.values, columns), pick(here.values, columns)) &&
      !(await judge.hasSeen(table, state, { unit, of: unit }, here))
    )
      unseen.push([own[0], own[1]])
  }
  return unseen
}

/** The state has this write, or a later one of the same database. */
const bears = ({ units }: RowState, [node, counter]: Stamp): boolean =>
  Object.values(units).some((each) => each[0] === node && each[1] >= counter)

/**
 * The state without what was refused of it: those units as they are here, and as if it had seen nothing from the first of them on, for
 * what is not taken must never count as seen. A row that is not here cannot be taken without its creation, nor one whose deletion was
 * refused, nor one that bears a later write of the same node.
 */
function withoutUnits(table: Replicated, state: RowState, known: KnownRow | undefined, verdicts: readonly Verdict[]): RowState | null {
  const refused = new Set(verdicts.map(({ unit }) => unit))
  if (!known || refused.has(EXISTENCE)) return null
  const vv = { ...state.vv }
  for (const unit of refused) {
    const [node, counter] = state.units[unit] as Stamp
    const seen = vv[node]
    if (seen !== undefined) vv[node] = Math.min(seen, counter - 1)
  }
  const units: Record<string, Stamp> = {}
  let values = { ...state.values }
  for (const [unit, stamp] of Object.entries(state.units)) {
    const own = known.state.units[unit]
    if (!refused.has(unit)) units[unit] = stamp
    else if (own) {
      units[unit] = own
      values = { ...values, ...pick(known.state.values, descriptions[table].units[unit] ?? []) }
    }
  }
  const isSeen = (stamp: Stamp) => covers(vv, stamp) || covers(known.state.vv, stamp)
  if (!Object.values(units).every(isSeen)) return null
  const alive = state.alive.filter((each) => covers(vv, each))
  if (alive.length > 0 || state.alive.length === 0) return { ...state, vv, units, values, alive }
  const here = known.state.alive.filter((each) => covers(vv, each))
  const others = lastOfEach(vv).filter((each) => !here.some((one) => sameDot(one, each)))
  return { ...state, vv, units, values, alive: [...here, ...others] }
}

/**
 * Which write said last that the row is there, before the one that is refused, is not told; of each node it can only be its last. One too
 * many goes when others say so; one too few would be a deletion (world 3080).
 */
const lastOfEach = (vv: Vector): Presence[] => Object.entries(vv).filter(([, counter]) => counter > 0)
