import { type Area, may } from '@markbook/shared/domain/access'
import { isId } from '@markbook/shared/ids'
import type { Replicated, Row } from '@markbook/shared/tables/tables'
import type { RowState, Values } from '@markbook/sync/merge/state'
import { EXISTENCE, sameDot } from '@markbook/sync/versions'
import { and, eq, gt, inArray } from 'drizzle-orm'
import { knownRows } from '../../store/replica/states.ts'
import { rowsBy, statement } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'
import { PERSONAL, personalDataSeenBy } from '../scope/personal-data.ts'
import { changesResults, classesNotTaught } from '../scope/shared-assessments.ts'
import { pupilsTaughtInSets, setsTaught } from '../scope/teaching-sets.ts'
import { classesInYear, type Facts, lessonsInYear, readFacts } from './judge.facts.ts'

const BY_ADMINS: readonly Replicated[] = [
  'academic_year',
  'active_year',
  'term',
  'subject',
  'grading_scale',
  'assessment_category',
  'teaching_set',
  'teaching_set_teacher',
  'teaching_set_member',
  'school',
]
/** Tables whose conflicts teachers may decide, as the routes have it; and those whose deletions they may repeat. */
const DECIDED_BY_TEACHERS: readonly Replicated[] = [
  'student',
  'student_group',
  'class_teacher',
  'assessment',
  'grade',
  'attendance_mark',
  'report_book',
  'report_book_entry',
]
const UNDONE_BY_TEACHERS: readonly Replicated[] = [
  'student_group',
  'teacher_group_assignment',
  'class_teacher',
  'enrolment',
  'student_subject',
  'attendance_mark',
  'assessment',
  'grade',
  'report_book',
  'report_book_entry',
]

/** The part of a row by which rights are judged; `units` of a pushed row. */
type OfRow = Pick<RowState, 'id' | 'values'> & Partial<Pick<RowState, 'units'>>
/** The unit that is written. `isNew`: the write creates the row; `lives`: the row exists after it. */
type Part = { unit: string; isNew: boolean; lives: boolean }

type Objection = 'unknown_parent' | 'forbidden'
/** The class and subject to which a row belongs; for an assessment also its teaching set, for a mark also its pupil and term. */
type RowScope = { group: string | null; subject: string | null; set?: string | null; sitting?: { student: string; term: string } }

/** Tables whose rows may go to another class. */
const MOVABLE = ['assessment', 'enrolment', 'report_book'] as const
type Movable = (typeof MOVABLE)[number]
const isMovable = (table: Replicated): table is Movable => MOVABLE.some((each) => each === table)
/** Whether the unit has the class of a movable row. */
const isOfClass = (table: Movable, { unit }: Part) => unit === (table === 'enrolment' ? 'place' : 'student_group_id')

/** Whether the unit is personal data of a pupil who exists. Whoever creates a pupil may write these; later only those who see them. */
const isPersonalPart = (table: Replicated, { unit, isNew, lives }: Part): boolean =>
  table === 'student' && !isNew && lives && PERSONAL.some((column) => column === unit)

/** Judges what people may write in a school, by the rights that they have here now. Each fact is read once. */
export class Rights {
  private readonly facts = new Map<string, Promise<Facts>>()
  private readonly inSets = new Map<string, Promise<ReadonlySet<string>>>()
  private asksForApproval: Promise<boolean> | undefined

  constructor(
    private readonly tx: ReadTx,
    private readonly school: string,
  ) {}

  /** Why the actor may not write this part of a row; null where they may. */
  async objectionTo(table: Replicated, state: OfRow, part: Part, actor: string): Promise<Objection | null> {
    if (!isMovable(table)) return this.objectionIn(table, state, part, actor)
    const stands = await this.tx.find(table, this.school, state.id)
    if (!stands) {
      const isOfAnother = table === 'report_book' && part.lives && !(await this.isInItsClass(state.values))
      return isOfAnother ? 'forbidden' : this.objectionIn(table, state, part, actor)
    }
    // A push may name another class than the row has. As in the routes, the actor needs the right in the class that stands here and, where
    // the unit is the class, also in the class that it goes to.
    const movesHere = idIn(state.values, 'student_group_id') !== stands.student_group_id && part.lives
    if (movesHere && (await this.mayCome(table, state))) return this.objectionIn(table, state, part, actor)
    const { student_group_id } = stands
    const values = table === 'assessment' ? stands : { ...state.values, student_group_id }
    const objection = await this.objectionIn(table, { id: state.id, values }, part, actor)
    if (objection) return objection
    return part.lives && isOfClass(table, part) ? this.objectionIn(table, state, part, actor) : null
  }

  /**
   * Whether a row may come from another class by the right in the new class alone. A report book follows its pupil. A pupil whom two
   * teachers enrolled, neither of whom knew of the other, is a conflict for people to decide.
   */
  private async mayCome(table: Movable, { values, units }: OfRow): Promise<boolean> {
    if (table === 'report_book') return this.isInItsClass(values)
    const [place, made] = [units?.['place'], units?.[EXISTENCE]]
    return table === 'enrolment' && place !== undefined && made !== undefined && sameDot(place, made)
  }

  /** Whether the pupil of a report book is in its class; also where they are in no class. */
  private async isInItsClass(values: Values): Promise<boolean> {
    const [student, term] = [idIn(values, 'student_id'), idIn(values, 'term_id')]
    const group = student !== null && term !== null ? await this.classOfStudent(student, term) : null
    return group === null || group === idIn(values, 'student_group_id')
  }

  private async objectionIn(table: Replicated, state: OfRow, part: Part, actor: string): Promise<Objection | null> {
    const place = await this.placeOf(table, state)
    if (place === 'unknown') return 'unknown_parent'
    const facts = await this.factsOf(actor, place.group)
    const about = {
      role: facts.role,
      isActive: facts.isActive,
      isClassTeacher: facts.isClassTeacher,
      teachesClass: facts.teachesClass,
      teachesSubject: await this.teachesSubject(actor, place, facts, table, state.values),
    }
    const area = await this.areaOf(table, state, part, actor)
    if (area === null || !may(area, about)) return 'forbidden'
    if (isPersonalPart(table, part) && !(await this.seesPersonal(state.id, facts.role, actor))) return 'forbidden'
    return table === 'assessment' && facts.role !== 'admin' && (await this.isShared(state.id, part, actor)) ? 'forbidden' : null
  }

  /** Whether the actor sees a pupil's birth date and gender. Nobody overwrites what they do not see (docs/design/school.md). */
  private async seesPersonal(student: string, role: Facts['role'], actor: string): Promise<boolean> {
    if (role === null) return false
    const sees = await personalDataSeenBy({ tx: this.tx, caller: { role, user_id: actor, school_id: this.school } })
    return sees(student)
  }

  /**
   * Whether the write changes results of classes in which the user does not teach the subject, as in an assessment of every class
   * (decisions §8).
   */
  private async isShared(assessment: string, part: Part, user: string): Promise<boolean> {
    if (!changesResults(part)) return false
    return (await classesNotTaught(this.tx, { school: this.school, assessment, user })).length > 0
  }

  private async areaOf(table: Replicated, state: OfRow, { unit, isNew, lives }: Part, actor: string): Promise<Area | null> {
    if (BY_ADMINS.includes(table)) return 'writeSchoolSetup'
    if (table === 'student') return unit === EXISTENCE && !lives ? 'writeSchoolSetup' : 'writeStudents'
    if (table === 'student_group') return isNew && lives ? 'createClass' : 'manageClass'
    if (table.startsWith('attendance_') && lives) return 'takeAttendance'
    if (table === 'assessment') return 'writeAssessments'
    if (table === 'grade') return 'writeGrades'
    if (table === 'report_book_entry' && unit !== 'row') return 'writeReportEntry'
    if (table === 'report_book' && unit === 'approval') return this.areaOfApproval(state)
    if (table.startsWith('report_') || table === 'class_report_file') return 'reports'
    // Whoever creates a class becomes its first teacher and class teacher.
    const opens = (table === 'teacher_group_assignment' || table === 'class_teacher') && state.values['user_profile_id'] === actor
    if (opens && (await this.mayOpen(idIn(state.values, 'student_group_id'), actor))) return 'createClass'
    return 'manageClass'
  }

  /**
   * Administrators approve and send back, where the school asks for approval. Anybody who writes in a book removes its approval; if that
   * removes the columns of a sending back too, they are restored (`watchApprovals`). Null where nobody may.
   */
  private async areaOfApproval({ values }: OfRow): Promise<Area | null> {
    if ((values['approved_at'] ?? values['sent_back_at'] ?? null) === null) return 'readClass'
    return (await this.approvesReports()) ? 'writeSchoolSetup' : null
  }

  /** Whether the school wants reports approved before they are published. Read once: in a page the school comes before its books. */
  approvesReports(): Promise<boolean> {
    this.asksForApproval ??= schoolsById(this.tx, { school: this.school }).then(([own]) => own?.approves_reports === true)
    return this.asksForApproval
  }

  /** Whether the actor created the class and nobody else has become its class teacher: then they are only a teacher like others. */
  private async mayOpen(group: string | null, actor: string): Promise<boolean> {
    if (group === null || (await this.tx.find('student_group', this.school, group))?.created_by !== actor) return false
    const leader = await this.tx.find('class_teacher', this.school, group)
    return leader === undefined || leader.user_profile_id === actor
  }

  /** The class and subject to which a row belongs; `unknown` where it names an assessment, pupil or book that is not known here. */
  private async placeOf(table: Replicated, { id, values }: OfRow): Promise<RowScope | 'unknown'> {
    if (table === 'student_group') return { group: id, subject: null }
    if (table === 'assessment')
      return { group: idIn(values, 'student_group_id'), subject: idIn(values, 'subject_id'), set: idIn(values, 'teaching_set_id') }
    if (table === 'grade') {
      const [test, student] = [idIn(values, 'assessment_id'), idIn(values, 'student_id')]
      const assessment = test === null ? null : await this.asItWas('assessment', test)
      const [term, subject] = [idIn(assessment ?? {}, 'term_id'), idIn(assessment ?? {}, 'subject_id')]
      if (term === null || subject === null || student === null) return 'unknown'
      return { group: await this.classOfStudent(student, term), subject, sitting: { student, term } }
    }
    if (table === 'report_book_entry' || table === 'report_book_pdf') {
      const id = idIn(values, 'report_book_id')
      const group = idIn((id && (await this.asItWas('report_book', id))) || {}, 'student_group_id')
      return group === null ? 'unknown' : { group, subject: idIn(values, 'subject_id') }
    }
    return { group: idIn(values, 'student_group_id'), subject: idIn(values, 'subject_id') }
  }

  /**
   * The row, or its last values where it was deleted: a mark or entry written without having seen the deletion brings the row back (SPEC,
   * «Merging»). Null where it was never here.
   */
  private async asItWas(table: 'assessment' | 'report_book', id: string): Promise<Values | null> {
    const school = this.school
    const row = await this.tx.find(table, school, id)
    return row ?? (await knownRows(this.tx, table, school, [id])).get(id)?.state.values ?? null
  }

  private async classOfStudent(student: string, term: string): Promise<string | null> {
    const [place] = await classesInYear(this.tx, { school: this.school, student, term })
    return place?.group ?? null
  }

  /**
   * Whether the actor teaches the subject: of a mark in the pupil's class, or the pupil in a teaching set; of an assessment in any class of
   * the year (decisions §2), of one of every class also in any set, of one of a set in that set; of any other row in its class.
   */
  private async teachesSubject(
    actor: string,
    { group, subject, set = null, sitting }: RowScope,
    { subjects }: Facts,
    table: Replicated,
    values: Values,
  ) {
    if (subject === null) return false
    if (sitting)
      return group !== null && (subjects.has(subject) || (await this.pupilsInSets(actor, subject, sitting.term)).has(sitting.student))
    if (table !== 'assessment') return subjects.has(subject)
    const term = idIn(values, 'term_id')
    if (term === null) return false
    const asked = { school: this.school, user: actor, subject, term }
    if (set !== null) return group === null && (await setsTaught(this.tx, asked)).some(({ id }) => id === set)
    return (await lessonsInYear(this.tx, asked)).length > 0 || (group === null && (await setsTaught(this.tx, asked)).length > 0)
  }

  private pupilsInSets(user: string, subject: string, term: string): Promise<ReadonlySet<string>> {
    const key = `${user} ${subject} ${term}`
    const read = async () => new Set((await pupilsTaughtInSets(this.tx, { school: this.school, user, subject, term })).map(({ id }) => id))
    const known = this.inSets.get(key) ?? read()
    this.inSets.set(key, known)
    return known
  }

  private factsOf(actor: string, group: string | null): Promise<Facts> {
    const key = `${actor} ${group}`
    const known = this.facts.get(key) ?? readFacts(this.tx, this.school, actor, group)
    this.facts.set(key, known)
    return known
  }

  async isAdministrator(user: string): Promise<boolean> {
    const { role, isActive } = await this.factsOf(user, null)
    return may('writeSchoolSetup', { role, isActive })
  }

  /**
   * Whether the actor may decide a conflict, as in the route (features/replication/decide.ts): who may write the row; if the row is not
   * here, only administrators.
   */
  async mayDecide(actor: string, { entity, row_id, unit, value }: Row<'sync_conflict'>): Promise<boolean> {
    if (await this.isAdministrator(actor)) return true
    const table = entity as Replicated
    if (!(value === null ? UNDONE_BY_TEACHERS : DECIDED_BY_TEACHERS).includes(table)) return false
    const row = await this.tx.find(table, this.school, row_id)
    return (
      row !== undefined &&
      (await this.objectionTo(table, { id: row_id, values: row }, { unit, isNew: false, lives: value !== null }, actor)) === null
    )
  }

  /** Whether a right of the actor was changed here after the feed number `seen`. */
  async isChangedSince(actor: string | null, seen: number): Promise<boolean> {
    const later = await rightsSince(this.tx, { school: this.school, seen })
    for (const table of OF_RIGHTS) {
      const ids = later.filter((row) => row.table === table).map(({ id }) => id)
      for (const { state } of (await knownRows(this.tx, table, this.school, ids)).values()) {
        if ((state.values['user_id'] ?? state.values['user_profile_id']) === actor) return true
      }
    }
    return false
  }
}

const schoolsById = rowsBy('school', { school: 'id' }, { columns: ['approves_reports'] })

const OF_RIGHTS = [
  'school_management',
  'teacher_group_assignment',
  'teacher_subject_assignment',
  'class_teacher',
  'teaching_set_teacher',
] as const

const rightsSince = statement<{ school: string; seen: number }>()(({ db, t: { sync_row }, p }) =>
  db
    .select({ id: sync_row.row_id, table: sync_row.table_name })
    .from(sync_row)
    .where(and(eq(sync_row.school_id, p.school), gt(sync_row.seq, p.seen), inArray(sync_row.table_name, [...OF_RIGHTS]))),
)

/**
 * The id in a column; null where the value is no id. A pushed value may be anything, and a query with a malformed id would fail the whole
 * page.
 */
export const idIn = (values: Values, column: string): string | null => {
  const value = values[column]
  return typeof value === 'string' && isId(value) ? value : null
}
