import { lacksApproval } from '@markbook/shared/domain/report-moves'
import { isId } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import { isMisnamed } from '@markbook/shared/tables/natural'
import { SCHEMA_VERSION } from '@markbook/shared/tables/schema-version'
import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import type { LimitOf } from '@markbook/sync/merge/claims'
import { MADE_BY_RULE } from '@markbook/sync/merge/conflict'
import { mergeRows } from '@markbook/sync/merge/merge'
import { freezeOf } from '@markbook/sync/merge/settle'
import { canonical, isSame, pick, type RowState, type Values } from '@markbook/sync/merge/state'
import { FileTable } from '@markbook/sync/protocol/files'
import { covers, EXISTENCE, type Stamp } from '@markbook/sync/versions'
import { isLost, type KnownRow } from '../../store/replica/states.ts'
import type { ReadTx } from '../../store/tx.ts'
import { isOwnPath } from '../files/named.ts'
import type { ConflictRecords } from '../issues/conflict-records.ts'
import type { RowProofs } from '../journal/row-proofs.ts'
import { isTakenAsSigned } from '../journal/row-proofs.ts'
import type { Signer } from '../journal/signed-history.ts'
import { Appointments } from '../scope/appointments.ts'
import { isAsSent } from '../scope/as-sent.ts'
import { AWAITS_PERSON, mustAccept, personIn } from '../scope/consent.ts'
import { changesNothing, freshIn } from '../scope/fresh.ts'
import { isWritable } from '../scope/normal-form.ts'
import { isElsewhere } from '../scope/people.ts'
import type { Limits } from '../scope/writers.ts'
import { RefusedParents } from './judge.parents.ts'
import { endsByKnownDeletion, isReturned, returnedBy } from './judge.presence.ts'
import { idIn, Rights } from './judge.rights.ts'
import { ValueRules } from './judge.values.ts'

type Peer = Pick<Row<'sync_peer'>, 'id' | 'kind' | 'school_id' | 'user_id' | 'node_id' | 'revoked_at'>
/** Why a unit of a pushed row is not taken. `stale`: the right was there until something that the writer had not seen. */
export type Verdict = {
  unit: string
  code: typeof AWAITS_PERSON | 'revoked' | 'malformed' | 'foreign' | 'not_yours' | 'forbidden' | 'unknown_parent' | 'unknown_row'
  stale: boolean
}

/**
 * Of the page that is judged. `seen`: how far the writer had read our feed; `records`: of a laptop, which of the conflicts that it sends are
 * such; `limits`: for which writers the child answers; `epoch`: the number of this node; `proofs`: who signed what others wrote.
 */
type OfPage = {
  seen: number
  records: ConflictRecords | null
  limits: Limits
  epoch: string
  proofs: RowProofs
  withEntries: ReadonlySet<string>
}

/** Who signed a write, and who wrote it. */
type Signed = { signer: Signer; actor: string | null }
/** One unit of a pushed row; `isNew`: the row is made by it, and not known here; `isOwn`: by a writer that the child answers for. */
type Write = { unit: string; stamp: Stamp; isNew: boolean; isOwn: boolean }

/** A mark is made with a score or with a code. */
const isEmptyMark = (table: Replicated, { score = null, status = null }: Values): boolean =>
  table === 'grade' && score === null && status === null

/**
 * Pushed rows are commands (SPEC): each unit that this node has not seen is asked about again, by the same rights table that guards the
 * routes. A school's node has judged its own people by the rights of the moment, so of it only who makes administrators is asked; a
 * laptop writes for its one user, who is judged here.
 */
export class Judge {
  private readonly awaiting = new Map<string, Promise<boolean>>()
  /** Assessments of the page whose deletion is refused: their marks stay with them. */
  private readonly staying = new Set<string>()
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
  }

  /** The number of this node. */
  get epoch(): string {
    return this.page.epoch
  }

  async verdicts(table: Replicated, told: RowState, known: KnownRow | undefined): Promise<Verdict[]> {
    // Of a row that was lost here past the program its versions alone are known, and what comes under them stands.
    const after = known && !isLost(known) ? mergeRows(table, descriptions[table], known.state, told).state : told
    // Whatever it says of its presence: a row that goes by it is deleted by it.
    const isEnd = after.alive.length === 0 && (known?.state.alive.length ?? 0) > 0
    const state = isEnd ? { ...told, alive: [] } : told
    const limitOf = this.page.limits(table, known !== undefined)
    const changed = freshIn(table, state, known, after).filter(
      ([unit, stamp]) => !(changesNothing(table, unit, state, known) && this.mayRepeat(stamp, limitOf)),
    )
    const returned = this.peer.kind === 'laptop' ? returnedBy(state, known, { after, changed, limitOf }) : null
    const time = state.units[EXISTENCE]?.[2] ?? 0
    const fresh: [string, Stamp][] = returned ? [...changed, [EXISTENCE, [...returned, time, this.peer.user_id]]] : changed
    const refuse = (code: Verdict['code'], units = fresh.map(([unit]) => unit)): Verdict[] =>
      units.map((unit) => ({ unit, code, stale: false }))
    // Whole: what is not there under its own id must not come to life by a part of it.
    const isMade = known || state.alive.length === 0 || state.units[EXISTENCE] !== undefined
    if (!isMade || (!known?.row && after.alive.length > 0 && isMisnamed(table, after.values)))
      return refuse('malformed', [...new Set([EXISTENCE, ...fresh.map(([unit]) => unit)])])
    // Also where nothing else is said: what a row is of is no part of any other unit.
    if (isOfAnotherSchool(table, state.values, this.peer))
      return refuse('foreign', [...new Set([EXISTENCE, ...fresh.map(([unit]) => unit)])])
    if (fresh.length === 0) return []
    // A laptop that is to be wiped: what it still brings is kept for people, and counts only once one of them enters it.
    if (this.peer.revoked_at !== null) return refuse('revoked')
    // A school may hold another value of a write that is known here, where a database was changed past the program.
    const isOwn = (stamp: Stamp) =>
      stamp[1] <= limitOf(stamp[0]) || (this.peer.kind !== 'laptop' && known !== undefined && covers(known.state.vv, stamp))
    if (!known && this.isHarmless(table, state) && fresh.every(([, stamp]) => isOwn(stamp))) return []
    const awaits = await this.awaitsPerson(table, state)
    if (awaits && descriptions[table].scope === 'commons') return refuse(AWAITS_PERSON)
    if (!(await this.isOfOwnSchool(table, state))) return refuse('foreign')
    const verdicts: Verdict[] = []
    const isNew = known === undefined
    for (const [unit, stamp] of fresh) {
      const code = await this.objectionToUnit(table, state, { unit, stamp, isNew, isOwn: isOwn(stamp) }, known)
      const isJudged = verdicts.some((verdict) => verdict.unit === unit)
      if (code && !isJudged) verdicts.push({ unit, code, stale: code === 'forbidden' && (await this.isStale(table, state, unit)) })
      if (code && table === 'assessment' && unit === EXISTENCE && state.alive.length === 0) this.staying.add(state.id)
    }
    const refused = new Set(verdicts.map(({ unit }) => unit))
    const taken = new Set(fresh.flatMap(([unit]) => (refused.has(unit) ? [] : [unit])))
    if (table === 'report_book' && taken.has('status') && (await this.lacksApproval(state, taken, known)))
      verdicts.push({ unit: 'status', code: 'forbidden', stale: false })
    // A row that was deleted here comes back by what is taken, and not by what is refused.
    const [first] = verdicts
    if (first && this.peer.kind === 'laptop' && isReturned(known, after) && !refused.has(EXISTENCE))
      verdicts.push({ ...first, unit: EXISTENCE })
    return awaits && verdicts.length === 0 ? refuse(AWAITS_PERSON) : verdicts
  }

  /**
   * A laptop publishes or sends a book that nobody approved, in a school that asks for it. An approval counts that comes with the book and is taken,
   * else that which stands here, unless the book comes with other words, or with entries: those nobody has approved.
   */
  private async lacksApproval(state: RowState, taken: ReadonlySet<string>, known: KnownRow | undefined): Promise<boolean> {
    if (this.peer.kind !== 'laptop' || state.alive.length === 0 || state.values['status'] === 'draft') return false
    const isChanged = this.page.withEntries.has(state.id) || [...taken].some((unit) => unit !== 'status' && unit !== 'approval')
    const { approved_at } = (taken.has('approval') ? state.values : isChanged ? undefined : known?.state.values) ?? {}
    return lacksApproval({ approves_reports: await this.rights.approvesReports() }, { approved_at: (approved_at as string | null) ?? null })
  }

  /** What stands here already may be said again without a right, by nobody or by the laptop's person, and as no other write than their own. */
  private mayRepeat([node, counter, , actor]: Stamp, limitOf: LimitOf): boolean {
    return this.peer.kind !== 'laptop' || (counter <= limitOf(node) && (actor === null || actor === this.peer.user_id))
  }

  private async objectionToUnit(
    table: Replicated,
    state: RowState,
    write: Write,
    known: KnownRow | undefined,
  ): Promise<Verdict['code'] | null> {
    if (this.peer.kind === 'laptop' && !write.isOwn && endsByKnownDeletion(state, write, known)) return 'not_yours'
    const signer = write.isOwn ? null : await this.signerOf(table, state, write.unit, known)
    if (signer) return this.objectionToSigned(table, state, write, { signer, actor: write.stamp[3] })
    const repeated = await this.repeatedBy(table, state, write, known)
    if (repeated) return this.objectionToSigned(table, state, write, repeated)
    return (await this.objection(table, asKnown(table, state, known), write)) ?? (await this.objectionToValues(table, state, write, known))
  }

  /** What a laptop wrote by itself says what its parent had told it, and what this node has lost since. */
  private async repeatedBy(
    table: Replicated,
    state: RowState,
    { unit, stamp, isOwn }: Write,
    known: KnownRow | undefined,
  ): Promise<Signed | null> {
    if (this.peer.kind !== 'laptop' || stamp[3] !== null || !isOwn || !isTakenAsSigned(table)) return null
    const isDeletion = unit === EXISTENCE && state.alive.length === 0
    // Else the laptop has it back: over what lives here it has no say.
    if (isDeletion && known && !isLost(known) && known.state.alive.length > 0 && !(await this.hasSeenAll(table, state, known.state)))
      return null
    return this.page.proofs.signerOfRepeated(table, state, unit, known?.state.vv ?? null)
  }

  /** Of a write that the child does not answer for. */
  private async signerOf(table: Replicated, state: RowState, unit: string, known: KnownRow | undefined): Promise<Signer | null> {
    if (!isTakenAsSigned(table)) return null
    return this.page.proofs.signerOf(table, state, unit, known && !isLost(known) ? known.state : undefined)
  }

  /** A server has judged what it signed when it was written; what a laptop signed is judged as if the laptop itself brought it. */
  private async objectionToSigned(
    table: Replicated,
    state: RowState,
    { unit, isNew }: Write,
    { signer, actor }: Signed,
  ): Promise<Verdict['code'] | null> {
    if (signer.kind !== 'laptop') return null
    if (actor === null || actor !== signer.user) return 'not_yours'
    if (isNew && state.alive.length === 0) return 'unknown_row'
    return this.objectionOfRights(table, state, { unit, isNew }, actor)
  }

  private async objectionOfRights(
    table: Replicated,
    state: RowState,
    { unit, isNew }: Pick<Write, 'unit' | 'isNew'>,
    actor: string,
  ): Promise<Verdict['code'] | null> {
    const lives = state.alive.length > 0
    if (table === 'grade' && !lives && this.staying.has(String(state.values['assessment_id']))) return 'forbidden'
    return this.rights.objectionTo(table, state, { unit, isNew, lives }, actor)
  }

  /**
   * What no person could write through the interface, as far as values go. `malformed`, which cannot travel, is for what the row alone shows;
   * what other rows forbid the child gives up as it does a right that it has not.
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
      if (isMisnamed(table, state.values) || isEmptyMark(table, state.values)) return 'malformed'
      if (!this.keepsIdentity(table, state, stamp, known)) return 'forbidden'
    } else if (!descriptions[table].units[unit] || state.extra?.[unit]) {
      if (!isOfNewerProgram(state, unit)) return 'malformed'
      if (!descriptions[table].units[unit]) return null
    }
    if (!isWritable(table, state.values, descriptions[table].units[unit] ?? descriptions[table].identity)) return 'malformed'
    // Books of the first programs were sent without it, and come from a school's server.
    if (this.peer.kind === 'laptop' && unit === 'status' && state.values['status'] === 'sent_to_ministry' && !freezeOf(state))
      return 'malformed'
    if (unit === 'approval') {
      if (known?.state.values['status'] === 'sent_to_ministry') return 'forbidden'
      // Nobody approves or sends back in another's name.
      const { approved_by = null, sent_back_by = null } = state.values
      if (this.peer.kind === 'laptop' && [approved_by, sent_back_by].some((by) => by !== null && by !== stamp[3])) return 'malformed'
    }
    if (await this.refusedParents.areNamedIn(table, unit, state)) return 'unknown_parent'
    return (await this.values.allow(table, write, asKnown(table, state, known).values)) ? null : 'forbidden'
  }

  /** What a row is of never changes; a laptop makes rows in its person's name. */
  private keepsIdentity(table: Replicated, { values }: RowState, [, , , actor]: Stamp, known: KnownRow | undefined): boolean {
    if (this.peer.kind !== 'laptop' || table === 'sync_conflict') return true
    const before = known && !isLost(known) ? known.state.values : null
    const own = [actor, null, before?.['created_by'] ?? null]
    if (!own.includes((values['created_by'] as string | null | undefined) ?? null)) return false
    if (!before || descriptions[table].natural) return true
    const isFixed = (column: string) => column !== 'created_at' && column !== 'created_by'
    return descriptions[table].identity.every((column) => !isFixed(column) || isSame(values[column], before[column]))
  }

  /** Of a school's server: a person is asked about once, as they were known here before the page. */
  private async awaitsPerson(table: Replicated, state: RowState): Promise<boolean> {
    const user = this.peer.kind === 'laptop' ? null : personIn(table, state)
    if (user === null) return false
    const asked = this.awaiting.get(user) ?? mustAccept(this.tx, this.peer.school_id as string, user)
    this.awaiting.set(user, asked)
    return asked
  }

  /**
   * The end of a row that is not known here, from a laptop that alone has written it, takes nothing from anybody; but a book that was sent
   * would stand in spite of it. A school is believed.
   */
  private isHarmless(table: Replicated, { alive, vv, values }: RowState): boolean {
    const { kind, node_id } = this.peer
    if (alive.length > 0 || kind !== 'laptop') return alive.length === 0
    const isSent = table === 'report_book' && values['status'] === 'sent_to_ministry'
    return !isSent && Object.keys(vv).every((each) => each === node_id)
  }

  /** The school of the row is the peer's; no key can name another, for every reference repeats it. */
  private async isOfOwnSchool(table: Replicated, state: RowState): Promise<boolean> {
    const { id, values } = state
    const { school_id } = this.peer
    // No row opens the file of another's report or class, or another's picture.
    const file = FileTable.safeParse(table)
    if (!isId(id) || (file.success && !isOwnPath(file.data, id, values))) return false
    if (table === 'school') return id === school_id
    if (descriptions[table].scope === 'commons') return this.isOfThisSchool(table, state)
    return values['school_id'] === school_id
  }

  /** A laptop's person is asked about further on. The server of a school answers for its own people, and for nobody who works at another. */
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

  /** Whoever wrote it, but this node itself. */
  private async bringsAsSent(table: Replicated, state: RowState, { unit, stamp: [node] }: Write): Promise<boolean> {
    if (table !== 'report_book_entry' || this.peer.kind !== 'laptop' || node === this.page.epoch) return false
    return isAsSent(this.tx, this.peer.school_id as string, state, unit)
  }

  /**
   * A record is made by rule, and decided by a person, who on a laptop is its one user, and may decide it there as here, or has written by it
   * what stands here now.
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
    if (records.isOfRefused(conflict)) return 'forbidden'
    return (await records.isByWriting(conflict, stamp)) || (await this.rights.mayDecide(actor, conflict)) ? null : 'forbidden'
  }

  private async objectionToLaptop(table: Replicated, state: RowState, write: Write, actor: string | null): Promise<Verdict['code'] | null> {
    if (descriptions[table].notOnLaptops) return 'forbidden'
    if (await this.bringsAsSent(table, state, write)) return null
    if (actor === null || actor !== this.peer.user_id) return 'not_yours'
    // Whose it was is not known here, and what the deletion says of it may be anything.
    if (write.isNew && state.alive.length === 0) return 'unknown_row'
    if (table === 'user_profile') return state.id === actor ? null : 'forbidden'
    return this.objectionOfRights(table, state, write, actor)
  }

  /** Whether who deleted a row had seen every part of it that stands here. */
  async hasSeenAll(table: Replicated, state: RowState, here: RowState): Promise<boolean> {
    for (const of of Object.keys(descriptions[table].units))
      if (here.units[of] && !(await this.hasSeen(table, state, { unit: EXISTENCE, of }, here))) return false
    return true
  }

  /** Whether who wrote a unit of a state had seen what stands here of another, as far as the history shows it. */
  async hasSeen(table: Replicated, state: RowState, { unit, of }: { unit: string; of: string }, here: RowState): Promise<boolean> {
    const mayWrite = await this.mayWrite(table, state, unit)
    const counts = (signer: Signer) => signer.kind !== 'laptop' || signer.user !== this.peer.user_id || mayWrite
    return this.page.proofs.hasSeen(table, state, { unit, of, value: pick(here.values, descriptions[table].units[of] ?? []) }, counts)
  }

  /** Whether the laptop's person may write the unit now. */
  private async mayWrite(table: Replicated, state: RowState, unit: string): Promise<boolean> {
    const { user_id } = this.peer
    const lives = state.alive.length > 0
    return user_id !== null && (await this.rights.objectionTo(table, state, { unit, isNew: false, lives }, user_id)) === null
  }

  /** Something about the writer's rights changed behind what they had read: they could not know. A value that nobody could type is none to decide about. */
  private async isStale(table: Replicated, state: RowState, unit: string): Promise<boolean> {
    const [, , , actor] = state.units[unit] as Stamp
    const columns = unit === EXISTENCE ? Object.keys(state.values) : (descriptions[table].units[unit] ?? [])
    if (table === 'sync_conflict' || (state.alive.length > 0 && !isWritable(table, state.values, columns))) return false
    return this.rights.isChangedSince(actor, this.page.seen)
  }
}

/** What a row is of is what is known here of it, whatever a push says beside the units that it writes. */
function asKnown(table: Replicated, state: RowState, known: KnownRow | undefined): RowState {
  if (!known || isLost(known)) return state
  return { ...state, values: { ...state.values, ...pick(known.state.values, descriptions[table].identity) } }
}

/** A part of the row that a newer program knows, and not more of it than is kept of a refused one. */
const isOfNewerProgram = ({ schema, extra }: RowState, unit: string): boolean =>
  schema > SCHEMA_VERSION && canonical(extra?.[unit]).length <= limits.sync.refused.value

const isOfAnotherSchool = (table: Replicated, values: Values, { school_id }: Peer) =>
  descriptions[table].scope === 'school' && values['school_id'] !== undefined && values['school_id'] !== school_id

/** Whose secret it is; null where the row's id says another. */
function ownerOf(table: Replicated, id: string, values: Values): string | null {
  return isMisnamed(table, { ...values, id }) ? null : idIn(values, 'user_id')
}
