import { lacksApproval } from '@markbook/shared/domain/report-moves'
import { isId } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import { isRecord } from '@markbook/shared/tables/describe'
import { hasWrongId } from '@markbook/shared/tables/natural'
import { SCHEMA_VERSION } from '@markbook/shared/tables/schema-version'
import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import type { LimitOf } from '@markbook/sync/merge/claims'
import { MADE_BY_RULE } from '@markbook/sync/merge/conflict'
import { mergeRows } from '@markbook/sync/merge/merge'
import { furthestOf, isLastStep, isStepBack } from '@markbook/sync/merge/policy'
import { freezeOf } from '@markbook/sync/merge/settle'
import { canonical, isSame, pick, type RowState, type Values } from '@markbook/sync/merge/state'
import { FileTable } from '@markbook/sync/protocol/files'
import { isPossibleClock } from '@markbook/sync/stamp'
import { covers, EXISTENCE, type Stamp } from '@markbook/sync/versions'
import { keyOf, linksTo } from '../../store/replica/links.ts'
import { isLost, type KnownRow } from '../../store/replica/states.ts'
import type { ReadTx } from '../../store/tx.ts'
import { isOwnPath } from '../files/named.ts'
import type { ConflictRecords } from '../issues/conflict-records.ts'
import { isTakenAsSigned, type Repeated, type RowProofs } from '../journal/row-proofs.ts'
import type { Signer } from '../journal/signed-history.ts'
import { Appointments } from '../scope/appointments.ts'
import { isAsSent, isWritableFreeze } from '../scope/as-sent.ts'
import { AWAITS_PERSON, mustAccept, personIn } from '../scope/consent.ts'
import { changesNothing, freshIn } from '../scope/fresh.ts'
import { isWritable } from '../scope/normal-form.ts'
import { isElsewhere } from '../scope/people.ts'
import type { Limits } from '../scope/writers.ts'
import { Deletions } from './judge.deletions.ts'
import { RefusedParents } from './judge.parents.ts'
import { endsByKnownDeletion, isReturned, returnedBy } from './judge.presence.ts'
import { idIn, Rights } from './judge.rights.ts'
import { ValueRules } from './judge.values.ts'

type Peer = Pick<Row<'sync_peer'>, 'id' | 'kind' | 'school_id' | 'user_id' | 'node_id' | 'revoked_at'>
/** Why a unit of a pushed row is refused. `stale`: the right was lost by a change that the writer had not read. */
export type Verdict = {
  unit: string
  code: typeof AWAITS_PERSON | 'revoked' | 'malformed' | 'foreign' | 'not_yours' | 'forbidden' | 'unknown_parent' | 'unknown_row'
  stale: boolean
}

/**
 * The page that is judged.
 * - `readUpTo`: the number of this node's feed up to which the writer had read
 * - `records`: of a laptop, which of its conflict records are genuine; null for a server
 * - `limits`: for which writers the child answers
 * - `epoch`: the number of this node
 * - `proofs`: who signed the writes of others
 * - `withEntries`: ids of report books in whose entries the page writes
 */
type OfPage = {
  readUpTo: number
  records: ConflictRecords | null
  limits: Limits
  epoch: string
  proofs: RowProofs
  withEntries: ReadonlySet<string>
}

/**
 * One written unit of a pushed row. `isNew`: the row is unknown here, so the write creates it; `isOwn`: the child answers for its writer;
 * `mayEnd`: it is no deletion, or one such as a route makes.
 */
type Write = { unit: string; stamp: Stamp; isNew: boolean; isOwn: boolean; mayEnd: boolean }

/** A mark needs a score or a code. */
const isEmptyMark = (table: Replicated, { score = null, status = null }: Values): boolean =>
  table === 'grade' && score === null && status === null

/**
 * Decides which units of pushed rows are refused. Pushed rows are commands (SPEC): each unit that this node has not seen is judged by the
 * rights table that guards the routes. A laptop writes for its user, who is judged by their present rights. A school's server judged its
 * own people by their rights at the time of the write; of its writes only the appointment of administrators is judged.
 */
export class Judge {
  private readonly awaiting = new Map<string, Promise<boolean>>()
  private readonly repeated = new Map<string, Readonly<Record<string, Stamp>>>()
  private readonly deletions: Deletions
  readonly appointments: Appointments
  readonly refusedParents: RefusedParents
  private readonly rights: Rights
  private readonly values: ValueRules

  constructor(
    private readonly tx: ReadTx,
    private readonly peer: Peer,
    private readonly page: OfPage,
  ) {
    this.appointments = new Appointments(tx, peer.school_id as string)
    this.refusedParents = new RefusedParents(tx, peer)
    this.rights = new Rights(tx, peer.school_id as string)
    this.values = new ValueRules(tx, peer)
    this.deletions = new Deletions(tx, peer)
  }

  /** Of a row that was judged: by unit, the stamps of the signed writes that a laptop's writes by nobody repeat, and that are taken. */
  repeatedIn = (table: Replicated, id: string): Readonly<Record<string, Stamp>> => this.repeated.get(keyOf({ table, id })) ?? {}

  /** The number of this node. */
  get epoch(): string {
    return this.page.epoch
  }

  /** The refused units of a pushed row; empty where all of it is taken. `known`: the row here, undefined where it is unknown. */
  async verdicts(table: Replicated, pushed: RowState, known: KnownRow | undefined): Promise<Verdict[]> {
    // The values of a row were lost here outside the program, and only its versions remain: the pushed state stands as it comes.
    const after = known && !isLost(known) ? mergeRows(table, descriptions[table], known.state, pushed).state : pushed
    // A state that deletes a living row when it is merged is judged as a deletion, whatever its own `alive` says.
    const isEnd = after.alive.length === 0 && (known?.state.alive.length ?? 0) > 0
    const state = isEnd ? { ...pushed, alive: [] } : pushed
    const limitOf = this.page.limits(table, known !== undefined)
    const changed = freshIn(table, state, known, after).filter(
      ([unit, stamp]) => !(changesNothing(table, unit, state, known) && this.mayRepeat(stamp, limitOf)),
    )
    const returned = this.peer.kind === 'laptop' ? returnedBy(state, known, { after, changed, limitOf }) : null
    const time = state.units[EXISTENCE]?.[2] ?? 0
    const fresh: [string, Stamp][] = returned ? [...changed, [EXISTENCE, [...returned, time, this.peer.user_id]]] : changed
    const refuse = (code: Verdict['code'], units = fresh.map(([unit]) => unit)): Verdict[] =>
      units.map((unit) => ({ unit, code, stale: false }))
    // An unknown row is taken with its creation and under its natural id, or refused whole: a part of it must not bring it to life.
    const isMade = known || state.alive.length === 0 || state.units[EXISTENCE] !== undefined
    if (!isMade || (!known?.row && after.alive.length > 0 && hasWrongId(table, after.values)))
      return refuse('malformed', [...new Set([EXISTENCE, ...fresh.map(([unit]) => unit)])])
    // Also where no unit is fresh: `school_id` belongs to no other unit.
    if (isOfAnotherSchool(table, state.values, this.peer))
      return refuse('foreign', [...new Set([EXISTENCE, ...fresh.map(([unit]) => unit)])])
    if (fresh.length === 0) return []
    // A revoked laptop that is to be wiped: its writes are kept for people, and count only once a person enters them.
    if (this.peer.revoked_at !== null) return refuse('revoked')
    // A school's server may hold another value of a write that is known here, where its database was changed outside the program.
    const isOwn = (stamp: Stamp) =>
      stamp[1] <= limitOf(stamp[0]) || (this.peer.kind !== 'laptop' && known !== undefined && covers(known.state.vv, stamp))
    const isDeletion = state.alive.length === 0 && this.peer.kind === 'laptop'
    if (!known && fresh.every(([, stamp]) => isOwn(stamp)) && (await this.isHarmless(table, state))) {
      if (isDeletion) this.deletions.note(table, state.id, true)
      return []
    }
    const awaits = await this.awaitsPerson(table, state)
    if (awaits && descriptions[table].scope === 'commons') return refuse(AWAITS_PERSON)
    if (!(await this.isOfOwnSchool(table, state))) return refuse('foreign')
    const verdicts: Verdict[] = []
    const isNew = known === undefined
    const mayEnd = !isDeletion || (await this.deletions.mayEnd(table, after, known))
    for (const [unit, stamp] of fresh) {
      const code = await this.objectionToUnit(table, state, { unit, stamp, isNew, isOwn: isOwn(stamp), mayEnd }, known)
      const isJudged = verdicts.some((verdict) => verdict.unit === unit)
      if (code && !isJudged) verdicts.push({ unit, code, stale: code === 'forbidden' && (await this.isStale(table, state, unit)) })
      if (unit === EXISTENCE && isDeletion) this.deletions.note(table, state.id, code === null)
    }
    const refused = new Set(verdicts.map(({ unit }) => unit))
    const taken = new Set(fresh.flatMap(([unit]) => (refused.has(unit) ? [] : [unit])))
    for (const unit of this.stepsBack(table, after, known)) if (taken.delete(unit)) verdicts.push({ unit, code: 'forbidden', stale: false })
    if (table === 'report_book' && taken.has('status') && (await this.lacksApproval(state, taken, known)))
      verdicts.push({ unit: 'status', code: 'forbidden', stale: false })
    // A row that is deleted here must not come back by a refused write.
    const [first] = verdicts
    if (first && this.peer.kind === 'laptop' && isReturned(known, after) && !refused.has(EXISTENCE))
      verdicts.push({ ...first, unit: EXISTENCE })
    return awaits && verdicts.length === 0 ? refuse(AWAITS_PERSON) : verdicts
  }

  /**
   * The units of steps in which a laptop goes back from what stands here, having seen it: no route does. A row that was deleted with its
   * class and made anew begins again, but the last step is for ever. What is written by nobody repeats what a server signed.
   */
  private stepsBack(table: Replicated, after: RowState, known: KnownRow | undefined): string[] {
    if (this.peer.kind !== 'laptop' || !known || isLost(known) || known.state.alive.length === 0) return []
    const here = known.state
    return furthestOf(table).filter((unit) => {
      const [stamp, before] = [after.units[unit], here.units[unit]]
      const isMadeAnew = (stamp?.[4] ?? 0) > (before?.[4] ?? 0) && !isLastStep(table, unit, here.values)
      return stamp?.[3] !== null && !isMadeAnew && isStepBack(table, unit, here.values, after.values)
    })
  }

  /**
   * Whether a laptop publishes or sends a book without the approval that the school asks for. An approval that comes with the book counts
   * if it is taken. Otherwise the one that stands here counts, unless the page changes the book or its entries: nobody has approved these
   * changes.
   */
  private async lacksApproval(state: RowState, taken: ReadonlySet<string>, known: KnownRow | undefined): Promise<boolean> {
    if (this.peer.kind !== 'laptop' || state.alive.length === 0 || state.values['status'] === 'draft') return false
    const isChanged = this.page.withEntries.has(state.id) || [...taken].some((unit) => unit !== 'status' && unit !== 'approval')
    const { approved_at } = (taken.has('approval') ? state.values : isChanged ? undefined : known?.state.values) ?? {}
    return lacksApproval({ approves_reports: await this.rights.approvesReports() }, { approved_at: (approved_at as string | null) ?? null })
  }

  /**
   * Whether a unit may get another stamp with the value that stands here, without a right. A laptop may do that by nobody or by its user,
   * and only under numbers for which it answers.
   */
  private mayRepeat([node, counter, , actor]: Stamp, limitOf: LimitOf): boolean {
    return this.peer.kind !== 'laptop' || (counter <= limitOf(node) && (actor === null || actor === this.peer.user_id))
  }

  private async objectionToUnit(
    table: Replicated,
    state: RowState,
    write: Write,
    known: KnownRow | undefined,
  ): Promise<Verdict['code'] | null> {
    if (this.peer.kind === 'laptop' && !isPossibleClock(write.stamp[2], known?.state.units[write.unit]?.[2])) return 'malformed'
    if (this.peer.kind === 'laptop' && !write.isOwn && endsByKnownDeletion(state, write, known)) return 'not_yours'
    const signer = write.isOwn ? null : await this.signerOf(table, state, write.unit, known)
    if (signer) return this.objectionToSigned(table, state, write, { signer, actor: write.stamp[3] }, known)
    const repeated = await this.repeatedBy(table, state, write, known)
    if (repeated) {
      const { signer, stamp } = repeated
      const code = await this.objectionToSigned(table, state, write, { signer, actor: stamp[3] }, known)
      if (code === null) this.repeated.set(keyOf({ table, id: state.id }), { ...this.repeatedIn(table, state.id), [write.unit]: stamp })
      return code
    }
    return (await this.objection(table, asKnown(table, state, known), write)) ?? (await this.objectionToValues(table, state, write, known))
  }

  /**
   * The signed write that a laptop's write by nobody repeats; null where there is none. After a refusal a laptop writes by nobody what its
   * parent had told it, and this node may have lost that since.
   */
  private async repeatedBy(
    table: Replicated,
    state: RowState,
    { unit, stamp, isOwn }: Write,
    known: KnownRow | undefined,
  ): Promise<Repeated | null> {
    if (this.peer.kind !== 'laptop' || stamp[3] !== null || !isOwn || !isTakenAsSigned(table)) return null
    const isDeletion = unit === EXISTENCE && state.alive.length === 0
    // Such a deletion counts over a row that lives here only where its writer had seen all of the row. Else the row comes back at the
    // laptop.
    if (isDeletion && known && !isLost(known) && known.state.alive.length > 0 && !(await this.hasSeenAll(table, state, known.state)))
      return null
    return this.page.proofs.signerOfRepeated(table, state, unit, known?.state.vv ?? null)
  }

  /** The signer of a write for whose writer the child does not answer; null where nobody signed it. */
  private async signerOf(table: Replicated, state: RowState, unit: string, known: KnownRow | undefined): Promise<Signer | null> {
    if (!isTakenAsSigned(table)) return null
    return this.page.proofs.signerOf(table, state, unit, known && !isLost(known) ? known.state : undefined)
  }

  /** What a server signed, it judged at the time of the write. What a laptop signed is judged as if that laptop pushed it. */
  private async objectionToSigned(
    table: Replicated,
    state: RowState,
    write: Write,
    { signer, actor }: { signer: Signer; actor: string | null },
    known: KnownRow | undefined,
  ): Promise<Verdict['code'] | null> {
    if (signer.kind !== 'laptop') return null
    if (actor === null || actor !== signer.user) return 'not_yours'
    const [node, counter, hlc] = write.stamp
    const ofActor: Write = { ...write, stamp: [node, counter, hlc, actor] }
    return (await this.objectionOfRights(table, state, write, actor)) ?? this.objectionToValues(table, state, ofActor, known)
  }

  private async objectionOfRights(
    table: Replicated,
    state: RowState,
    { unit, isNew, mayEnd }: Write,
    actor: string,
  ): Promise<Verdict['code'] | null> {
    const lives = state.alive.length > 0
    // The row is unknown here, and the deletion may say anything of it, so nobody can tell whose it was.
    if (isNew && !lives) return 'unknown_row'
    if ((unit === EXISTENCE && !mayEnd) || (!isNew && descriptions[table].unchanged?.includes(unit))) return 'forbidden'
    if (table === 'user_profile') return state.id === actor ? null : 'forbidden'
    return this.rights.objectionTo(table, state, { unit, isNew, lives }, actor)
  }

  /**
   * Whether the values are such as a person could write through the interface. `malformed` where the row alone shows that they are not:
   * such a row cannot travel. `forbidden` where other rows forbid them: the child gives the write up, as for a missing right.
   */
  private async objectionToValues(
    table: Replicated,
    state: RowState,
    write: Write,
    known: KnownRow | undefined,
  ): Promise<Verdict['code'] | null> {
    const { unit, stamp } = write
    if (unit === EXISTENCE) {
      if (state.alive.length === 0) return null
      if (hasWrongId(table, state.values) || isEmptyMark(table, state.values)) return 'malformed'
      if (!this.keepsIdentity(table, state, stamp, known)) return 'forbidden'
    } else if (!descriptions[table].units[unit] || state.extra?.[unit]) {
      if (!isOfNewerProgram(state, unit)) return 'malformed'
      if (!descriptions[table].units[unit]) return null
    }
    if (!isWritable(table, state.values, descriptions[table].units[unit] ?? descriptions[table].identity)) return 'malformed'
    // The first programs sent books without a snapshot; such books come from servers only.
    if (this.peer.kind === 'laptop' && unit === 'status' && state.values['status'] === 'sent_to_ministry') {
      const freeze = freezeOf(state)
      if (!freeze || !(await isWritableFreeze(this.tx, this.peer.school_id as string, state.id, freeze))) return 'malformed'
      const [actor, place] = [stamp[3] as string, { unit: 'student_group_id', isNew: write.isNew, lives: true }]
      const values = { ...asKnown(table, state, known).values, student_group_id: freeze.student_group_id }
      const isElsewhere = await this.rights.objectionTo(table, { id: state.id, values }, place, actor)
      if (isElsewhere || !(await this.values.isInYearOfItsClass(values))) return 'forbidden'
    }
    if (unit === 'approval') {
      if (known?.state.values['status'] === 'sent_to_ministry') return 'forbidden'
      // Nobody approves or sends back in another's name.
      const { approved_by = null, sent_back_by = null } = state.values
      if (this.peer.kind === 'laptop' && [approved_by, sent_back_by].some((by) => by !== null && by !== stamp[3])) return 'malformed'
    }
    if (await this.refusedParents.areNamedIn(table, unit, state)) return 'unknown_parent'
    return (await this.values.allow(table, write, asKnown(table, state, known).values)) ? null : 'forbidden'
  }

  /** Whether a laptop leaves the identity of a known row as it is, and names its user, nobody or the earlier author as the author. */
  private keepsIdentity(table: Replicated, { values }: RowState, [, , , actor]: Stamp, known: KnownRow | undefined): boolean {
    if (this.peer.kind !== 'laptop' || table === 'sync_conflict') return true
    const before = known && !isLost(known) ? known.state.values : null
    const isAuthor = (column: string) => [actor, null, before?.[column] ?? null].includes((values[column] as string | undefined) ?? null)
    if (!AUTHORS.every(isAuthor)) return false
    if (!before || descriptions[table].natural) return true
    const isFixed = (column: string) => column !== 'created_at' && column !== 'created_by'
    return descriptions[table].identity.every((column) => !isFixed(column) || isSame(values[column], before[column]))
  }

  /**
   * Whether a school's server gives a place to a person who must agree first. Asked once for each person, so as they were known before the
   * page.
   */
  private async awaitsPerson(table: Replicated, state: RowState): Promise<boolean> {
    const user = this.peer.kind === 'laptop' ? null : personIn(table, state)
    if (user === null) return false
    const asked = this.awaiting.get(user) ?? mustAccept(this.tx, this.peer.school_id as string, user)
    this.awaiting.set(user, asked)
    return asked
  }

  /**
   * Whether the deletion of a row that is unknown here can be taken unjudged. From a school's server always. From a laptop, where it alone
   * has written the row, so that nobody loses anything; but the row comes back with what the deletion says of it once another names it, so
   * of a row that others can name the person must have been able to make it. Whoever names an assignment could also make it.
   */
  private async isHarmless(table: Replicated, state: RowState): Promise<boolean> {
    const { kind, node_id } = this.peer
    if (state.alive.length > 0 || kind !== 'laptop') return state.alive.length === 0
    if (!Object.keys(state.vv).every((each) => each === node_id)) return false
    if (table === 'teacher_group_assignment' || linksTo(table).length === 0) return true
    const made: RowState = { ...state, alive: [[node_id, state.vv[node_id] ?? 0]] }
    return (await this.verdicts(table, made, undefined)).length === 0
  }

  /** Whether the row belongs to the peer's school. Its foreign keys need no check: each of them contains `school_id`. */
  private async isOfOwnSchool(table: Replicated, state: RowState): Promise<boolean> {
    const { id, values } = state
    const { school_id } = this.peer
    // A path outside the row's own folder would open the file of another row.
    const file = FileTable.safeParse(table)
    if (!isId(id) || (file.success && !isOwnPath(file.data, id, values))) return false
    if (table === 'school') return id === school_id
    if (descriptions[table].scope === 'commons') return this.isOfThisSchool(table, state)
    return values['school_id'] === school_id
  }

  /**
   * Whether a school's server may tell this row of a person: not of one who works at another school too (M8). A laptop's person is judged
   * in `objectionToLaptop`.
   */
  private async isOfThisSchool(table: Replicated, { id, values }: RowState): Promise<boolean> {
    const { kind, school_id } = this.peer
    if (kind === 'laptop') return true
    const user = table === 'user_profile' ? id : ownerOf(table, id, values)
    return user !== null && !(await isElsewhere(this.tx, school_id as string, user))
  }

  private async objection(table: Replicated, state: RowState, write: Write): Promise<Verdict['code'] | null> {
    const [, , , actor] = write.stamp
    if (!write.isOwn && !(await this.bringsAsSent(table, state, write))) return 'not_yours'
    if (table === 'sync_conflict' && this.page.records) return this.objectionToRecord(state, write, this.page.records)
    if (this.peer.kind === 'laptop') return this.objectionToLaptop(table, state, write, actor)
    const appoints = table === 'school_management' && write.unit === 'role' && state.values['role'] === 'admin'
    return appoints && !(await this.appointments.mayAppoint(actor)) ? 'forbidden' : null
  }

  /**
   * Whether a laptop brings an entry as its report book was sent. Such an entry is taken whoever wrote it, except under this node's number.
   */
  private async bringsAsSent(table: Replicated, state: RowState, { unit, stamp: [node] }: Write): Promise<boolean> {
    if (table !== 'report_book_entry' || this.peer.kind !== 'laptop' || node === this.page.epoch) return false
    return isAsSent(this.tx, this.peer.school_id as string, state, unit)
  }

  /**
   * A conflict record is created by rule and decided by a person: on a laptop by its user, who must have the right to decide it here, or
   * has decided by a write that stands here now.
   */
  private async objectionToRecord(
    state: RowState,
    { unit, stamp, isNew }: Write,
    records: ConflictRecords,
  ): Promise<Verdict['code'] | null> {
    const [node, , , actor] = stamp
    if (isNew && !(await records.isOfMerge(state))) return 'not_yours'
    if (node === MADE_BY_RULE || unit === EXISTENCE) return isNew && node === MADE_BY_RULE ? null : 'forbidden'
    if (actor === null || actor !== this.peer.user_id) return 'not_yours'
    const conflict = state.values as Row<'sync_conflict'>
    if (!isDecision(conflict, actor)) return 'malformed'
    if (records.isOfRefused(conflict)) return 'forbidden'
    return (await records.isByWriting(conflict, stamp)) || (await this.rights.mayDecide(actor, conflict)) ? null : 'forbidden'
  }

  private async objectionToLaptop(table: Replicated, state: RowState, write: Write, actor: string | null): Promise<Verdict['code'] | null> {
    if (descriptions[table].notOnLaptops) return 'forbidden'
    if (await this.bringsAsSent(table, state, write)) return null
    if (actor === null || actor !== this.peer.user_id) return 'not_yours'
    return this.objectionOfRights(table, state, write, actor)
  }

  /** Whether the writer of a deletion had seen every unit that stands here. */
  async hasSeenAll(table: Replicated, state: RowState, here: RowState): Promise<boolean> {
    for (const of of Object.keys(descriptions[table].units))
      if (here.units[of] && !(await this.hasSeen(table, state, { unit: EXISTENCE, of }, here))) return false
    return true
  }

  /**
   * Whether the writer of `unit` had seen what stands here of the unit `of`, as far as the history shows it. Entries that laptops of this
   * person signed count only where the person may write the unit.
   */
  async hasSeen(table: Replicated, state: RowState, { unit, of }: { unit: string; of: string }, here: RowState): Promise<boolean> {
    const mayWrite = await this.mayWrite(table, state, { unit, lives: state.alive.length > 0 })
    const counts = (signer: Signer) => signer.kind !== 'laptop' || signer.user !== this.peer.user_id || mayWrite
    return this.page.proofs.hasSeen(table, state, { unit, of, value: pick(here.values, descriptions[table].units[of] ?? []) }, counts)
  }

  /** Whether the laptop's person may write the unit of a known row now. `lives`: the row exists after the write. */
  async mayWrite(table: Replicated, { id, values }: RowState, { unit, lives }: { unit: string; lives: boolean }): Promise<boolean> {
    const { user_id } = this.peer
    return user_id !== null && (await this.rights.objectionTo(table, { id, values }, { unit, isNew: false, lives }, user_id)) === null
  }

  /**
   * Whether a right of the writer was changed here after what they had read, so that they could not know. False for conflict records, and
   * for a value that nobody could type: there is nothing to decide about.
   */
  private async isStale(table: Replicated, state: RowState, unit: string): Promise<boolean> {
    const [, , , actor] = state.units[unit] as Stamp
    const columns = unit === EXISTENCE ? Object.keys(state.values) : (descriptions[table].units[unit] ?? [])
    if (table === 'sync_conflict' || (state.alive.length > 0 && !isWritable(table, state.values, columns))) return false
    return this.rights.isChangedSince(actor, this.page.readUpTo)
  }
}

const AUTHORS = ['created_by', 'generated_by'] as const

/** The state with the identity that is known here: a push cannot change what a row belongs to. */
function asKnown(table: Replicated, state: RowState, known: KnownRow | undefined): RowState {
  if (!known || isLost(known)) return state
  return { ...state, values: { ...state.values, ...pick(known.state.values, descriptions[table].identity) } }
}

/** Whether the unit is of a newer program, and no larger than what is kept of a refused unit. */
const isOfNewerProgram = ({ schema, extra }: RowState, unit: string): boolean =>
  schema > SCHEMA_VERSION && canonical(extra?.[unit]).length <= limits.sync.refused.valueLength

const CHOICES: readonly string[] = ['current', 'kept', 'typed']

/** Whether a record says what this person could have decided, and in no other name. Older programs told no `resolution`. */
function isDecision({ status, resolved_at, resolved_by, resolution, entity }: Row<'sync_conflict'>, actor: string): boolean {
  if (status !== 'resolved' || resolved_at === null || resolved_by !== actor) return false
  if (resolution === null) return true
  const { choice, value } = resolution
  const isTyped = isRecord(value) && isWritable(entity as Replicated, value, Object.keys(value))
  return CHOICES.includes(choice) && (value === null || isTyped) && canonical(resolution).length <= limits.sync.refused.valueLength
}

const isOfAnotherSchool = (table: Replicated, values: Values, { school_id }: Peer) =>
  descriptions[table].scope === 'school' && values['school_id'] !== undefined && values['school_id'] !== school_id

/** The person whose secret the row is; null where the row's id does not follow from that person. */
function ownerOf(table: Replicated, id: string, values: Values): string | null {
  return hasWrongId(table, { ...values, id }) ? null : idIn(values, 'user_id')
}
