import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import { clipped, type LimitOf } from '@markbook/sync/merge/claims'
import { isSame, pick, type RowState } from '@markbook/sync/merge/state'
import { covers, EXISTENCE, type Presence, type Stamp, sameDot, type Vector } from '@markbook/sync/versions'
import { hasMoved } from '../../store/replica/links.ts'
import { isLost, type KnownRow } from '../../store/replica/states.ts'
import { isTakenAsSigned, type RowProofs } from '../journal/row-proofs.ts'
import type { Limits } from '../scope/writers.ts'
import type { Judge, Verdict } from './judge.ts'

/**
 * What is needed to decide which claims of a pushed state count. `judge`: decides about its units; `limits`: for which writers the child
 * answers, and up to which counter; `heard`: up to which counter this node has received each number; `proofs`: signed history, of the page
 * and stored here.
 */
export type Claiming = {
  peer: Row<'sync_peer'>
  judge: Judge
  limits: Limits
  heard: ReadonlyMap<string, number>
  proofs: RowProofs
  /** A claim to have seen a counter above this one never counts: no writer has written so often. */
  mostPlausible: number
}

/**
 * The part of a pushed state that is taken: without its refused units, and with a vector and an `alive` that claim no more than counts
 * (SPEC, «What a parent takes»). Null where the rest cannot be taken without a refused unit.
 */
export async function restOf(
  claiming: Claiming,
  table: Replicated,
  state: RowState,
  known: KnownRow | undefined,
  verdicts: readonly Verdict[],
): Promise<RowState | null> {
  // A refused row of a table that laptops may not write leaves nothing in the vector, not even the laptop's own counter: what the laptop
  // says next would be judged as if its right had been lost meanwhile.
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
  const present = { ...state, vv, alive: presentIn(state, vv, known, [claiming.peer.node_id, claiming.judge.epoch]) }
  const claimed = known && state.alive.length === 0 ? covering(table, present, known.state, limitOf) : present
  return verdicts.length === 0 ? claimed : withoutUnits(table, claimed, known, verdicts, claiming.judge.repeatedIn(table, state.id))
}

/**
 * The vector of a deletion may have been cut below writes of other units that the state bears. A write that the child answers for makes the
 * row exist: the deletion cannot be shown to have seen it. Any other unit is as it stands here. So the vector covers every unit (I2).
 */
function covering(table: Replicated, state: RowState, here: RowState, limitOf: LimitOf): RowState {
  const vv = { ...state.vv }
  const units = { ...state.units }
  const alive = [...state.alive]
  let values = { ...state.values }
  for (const [unit, [node, counter]] of Object.entries(state.units)) {
    if (covers(vv, [node, counter]) || covers(here.vv, [node, counter])) continue
    if (counter <= limitOf(node)) {
      vv[node] = counter
      alive.push([node, counter])
      continue
    }
    delete units[unit]
    if (here.units[unit]) units[unit] = here.units[unit]
    values = { ...values, ...pick(here.values, descriptions[table].units[unit] ?? []) }
  }
  return { ...state, vv, units, alive, values }
}

/** For each number, the counter up to which the state counts as having seen it, beyond what the child answers for. */
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
  // A dot of `alive` counts as seen where its write is signed (the child must have it from its writer), or where this node has received
  // that number beyond it.
  for (const dot of [...state.alive, ...(known?.state.alive ?? [])])
    if (isNews(...dot) && covers(state.vv, dot) && (isHeard(claiming, dot) || (await claiming.proofs.isMade(table, state, dot))))
      seen.set(...dot)
  // A write has seen what the same database had written to the row before. Not looked at for a deletion.
  const refused = new Set(verdicts.map(({ unit }) => unit))
  for (const [unit, [node, counter]] of Object.entries(state.alive.length > 0 ? state.units : {}))
    if (!refused.has(unit) && !bearers.has(node)) seen.set(node, Math.max(seen.get(node) ?? 0, counter))
  return seen
}

const isHeard = ({ heard, peer }: Claiming, [node, counter]: Presence): boolean =>
  node !== peer.node_id && (heard.get(node) ?? 0) >= counter

/**
 * The dots of `alive` that count: those that the vector `vv` covers, those that stand in `alive` here, and those of numbers other than
 * `both`, whose writes may have yet to come. If none counts, `alive` is as it was here, or as pushed for an unknown row. A dot that nobody
 * wrote would be covered by no deletion, so the row could never be deleted. `both`: the numbers of the laptop and of this node, whose
 * writes are known here.
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
 * Up to which counter a claim `[number, counter]` counts; 0 for not at all. The writes may have yet to come here: a laptop with two parents
 * may have seen such. Where history proves rows, it counts as far as the history shows it. In other tables any plausible claim of a server
 * counts, and of a laptop only about conflicts and its user's own profile, since laptops are told no history of these. A claim about this
 * node's own present number never counts: there are no writes that are unknown here.
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
 * The dots here that a laptop's state cannot be shown to have seen, whatever its vector says. The vector is cut below them, so that the
 * merge keeps one of the two writes as a conflict. A signature proves what somebody wrote, not what they had seen.
 */
async function unseenIn(
  { peer, judge, limits: writerLimits }: Claiming,
  table: Replicated,
  state: RowState,
  known: KnownRow | undefined,
): Promise<Presence[]> {
  if (peer.kind !== 'laptop' || !known || isLost(known) || !isTakenAsSigned(table)) return []
  const limitOf = writerLimits(table, true)
  const here = known.state
  const unseen: Presence[] = []
  for (const [unit, stamp] of Object.entries(state.units)) {
    if (covers(here.vv, stamp)) continue
    const own = here.units[unit]
    // A database has seen its own earlier writes, of whichever unit (`bears`): otherwise the vector would not cover a stamp that the state
    // bears.
    const isEarlier = ([node, counter]: Presence | Stamp) => node === stamp[0] && counter < stamp[1]
    if (own && unit !== EXISTENCE && bears(state, own)) continue
    // A write that saw another one of its unit has the greater hlc (I3).
    if (own && unit !== EXISTENCE && stamp[2] <= own[2]) unseen.push([own[0], own[1]])
    // Who may not take a pupil out of the class in which they are can only have enrolled them without knowing of it.
    const isMove = own && table === 'enrolment' && unit === 'place' && hasMoved(table, here.values, state.values)
    if (isMove && !(await judge.mayWrite(table, here, { unit, lives: true }))) unseen.push([own[0], own[1]])
    if (stamp[1] <= limitOf(stamp[0]) && stamp[3] !== null) continue
    if (unit === EXISTENCE) {
      // A deletion counts as such only where it has seen every write by which the row exists here.
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

/** Whether the state bears this write, or a later one of the same database. */
const bears = ({ units }: RowState, [node, counter]: Stamp): boolean =>
  Object.values(units).some((each) => each[0] === node && each[1] >= counter)

const columnsOf = (table: Replicated, unit: string): readonly string[] => descriptions[table].units[unit] ?? descriptions[table].identity

/**
 * The state without its refused units: these are as they stand here, and the vector ends before the refused write of each number, since a
 * write that is not taken must never count as seen. Null for a row that is unknown here, for a refused creation or deletion, and where a
 * remaining unit bears a later write of the same number, which the vector would no longer cover. `repeated`: by unit, the signed writes that
 * writes by nobody repeat.
 */
function withoutUnits(
  table: Replicated,
  state: RowState,
  known: KnownRow | undefined,
  verdicts: readonly Verdict[],
  repeated: Readonly<Record<string, Stamp>>,
): RowState | null {
  const refused = new Set(verdicts.map(({ unit }) => unit))
  if (!known || refused.has(EXISTENCE)) return null
  const vv = { ...state.vv }
  for (const unit of refused) {
    const [node, counter] = state.units[unit] as Stamp
    const seen = vv[node]
    if (seen !== undefined) vv[node] = Math.min(seen, counter - 1)
  }
  const isSeen = (stamp: Stamp) => covers(vv, stamp) || covers(known.state.vv, stamp)
  const units: Record<string, Stamp> = {}
  let values = { ...state.values }
  for (const [unit, stamp] of Object.entries(state.units)) {
    const own = known.state.units[unit]
    const columns = columnsOf(table, unit)
    const isAsHere = isSame(pick(state.values, columns), pick(known.state.values, columns))
    const signed = repeated[unit]
    if (refused.has(unit)) {
      if (!own) continue
      units[unit] = own
      values = { ...values, ...pick(known.state.values, descriptions[table].units[unit] ?? []) }
    } else if (isSeen(stamp) || stamp[3] !== null) units[unit] = stamp
    else if (signed) {
      // A write by nobody is left out with those that are refused under its number; what it repeats is not.
      units[unit] = signed
      vv[signed[0]] = Math.max(vv[signed[0]] ?? 0, signed[1])
    } else units[unit] = own && isAsHere ? own : stamp
  }
  if (!Object.values(units).every(isSeen)) return null
  const alive = state.alive.filter((each) => covers(vv, each))
  if (alive.length > 0 || state.alive.length === 0) return { ...state, vv, units, values, alive }
  const here = known.state.alive.filter((each) => covers(vv, each))
  const others = lastOfEach(vv).filter((each) => !here.some((one) => sameDot(one, each)))
  return { ...state, vv, units, values, alive: [...here, ...others] }
}

/**
 * The last write of each number that the vector covers, as dots for `alive`. The state does not tell which write made the row exist before
 * the refused one; of each number it can only be the last. A superfluous dot goes with the next merge; a missing one would be a deletion
 * (world 3080).
 */
const lastOfEach = (vv: Vector): Presence[] => Object.entries(vv).filter(([, counter]) => counter > 0)
