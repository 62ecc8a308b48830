import { lastDayOfRegisters } from '@markbook/shared/domain/attendance'
import { fitsCategory } from '@markbook/shared/domain/categories'
import { type MarkCode, standardMarkCodes } from '@markbook/shared/domain/mark-codes'
import { textToChanges } from '@markbook/shared/tables/changes'
import type { Replicated, Row } from '@markbook/shared/tables/tables'
import type { Values } from '@markbook/sync/merge/state'
import { EXISTENCE, type Stamp } from '@markbook/sync/versions'
import { isLost, knownRows } from '../../store/replica/states.ts'
import type { ReadTx } from '../../store/tx.ts'
import { entriesOfRow } from '../journal/row-proofs.ts'
import { membershipOf } from '../scope/scope.ts'
import { idIn } from './judge.rights.ts'

/** Tables whose rows say that somebody teaches. */
const TEACHING: readonly Replicated[] = ['teacher_group_assignment', 'class_teacher', 'teacher_subject_assignment', 'teaching_set_teacher']

/** A written unit of a pushed row, and its stamp. */
type Write = { unit: string; stamp: Stamp }

/** Rules of the routes on values that depend on other rows of the school. A rule is passed over while its other row is not here. */
export class ValueRules {
  private readonly maxima = new Map<string, Promise<number>>()

  private readonly school: string

  constructor(
    private readonly tx: ReadTx,
    private readonly peer: Pick<Row<'sync_peer'>, 'kind' | 'school_id'>,
  ) {
    this.school = peer.school_id as string
  }

  /**
   * Whether this unit may have these values. `values`: of the whole row. A server is asked for some rules only: it judged the row when it
   * took it, and what the others depend on may have changed since.
   */
  async allow(table: Replicated, { unit, stamp }: Write, values: Values): Promise<boolean> {
    if (!(await this.isAlwaysAllowed(table, unit, values))) return false
    if (this.peer.kind !== 'laptop') return true
    const isMade = unit === EXISTENCE
    if (table === 'grade') return unit !== 'status' || this.isOwnCode(values['status'], stamp[3])
    if (table === 'report_book' || table === 'class_report_file') return !isMade || this.isInYearOfItsTerm(values)
    if (table === 'assessment') return (!isMade && unit !== 'student_group_id') || this.isInYearOfItsTerm(values)
    if (TEACHING.includes(table)) return this.isOfStaff(values)
    if (table === 'attendance_register' || table === 'attendance_mark') return !isMade || this.isOfItsYear(values, stamp)
    return true
  }

  private async isAlwaysAllowed(table: Replicated, unit: string, values: Values): Promise<boolean> {
    const isMade = unit === EXISTENCE
    if (table === 'grade') return unit !== 'score' || this.isWithinMaximum(values)
    if (table === 'teacher_subject_assignment') return this.isInYearOfItsClass(values)
    if (table !== 'assessment') return true
    if ((isMade || unit === 'scoring') && !(await this.fitsItsCategory(values))) return false
    return (!isMade && unit !== 'student_group_id') || this.fitsItsSet(values)
  }

  /**
   * A code is one of the school's, or was one: the laptop may not have heard that it went. The history of others shows it, since somebody
   * could invent their own.
   */
  private async isOwnCode(code: unknown, actor: string | null): Promise<boolean> {
    const isIn = (codes: unknown) => (codes as readonly MarkCode[] | null)?.some((each) => each.code === code) === true
    if (code == null || isIn(standardMarkCodes)) return true
    const own = await this.tx.find('school', this.school, this.school)
    if (isIn(own?.mark_codes)) return true
    const entries = await entriesOfRow(this.tx, this.school, 'school', { id: this.school, values: {} })
    const ofOthers = entries.filter(({ actor_id }) => actor_id !== actor).map(({ changes }) => textToChanges(changes)['mark_codes'])
    return ofOthers.some((change) => isIn(change?.before) || isIn(change?.after))
  }

  /** A class is of the year of the term of its reports and assessments. */
  private async isInYearOfItsTerm(values: Values): Promise<boolean> {
    const id = idIn(values, 'term_id')
    const term = id === null ? undefined : await this.tx.find('term', this.school, id)
    return term === undefined || this.isInYearOfItsClass({ ...values, academic_year_id: term.academic_year_id })
  }

  /** Whether the class that a row names is of the year that it names. */
  async isInYearOfItsClass(values: Values): Promise<boolean> {
    const id = idIn(values, 'student_group_id')
    const group = id === null ? undefined : await this.tx.find('student_group', this.school, id)
    return group === undefined || group.academic_year_id === values['academic_year_id']
  }

  /** Only an active teacher or administrator of the school teaches in it. */
  private async isOfStaff(values: Values): Promise<boolean> {
    const [membership] = await membershipOf(this.tx, { school: this.school, user: idIn(values, 'user_profile_id') ?? '' })
    return membership?.is_active === true && membership.role !== 'member'
  }

  /** A teaching set is of the year and subject of its assessments. */
  private async fitsItsSet(values: Values): Promise<boolean> {
    const [id, termId] = [idIn(values, 'teaching_set_id'), idIn(values, 'term_id')]
    if (id === null || termId === null) return true
    const set = await this.tx.find('teaching_set', this.school, id)
    const term = await this.tx.find('term', this.school, termId)
    return !set || !term || (set.academic_year_id === term.academic_year_id && set.subject_id === values['subject_id'])
  }

  /** A category is of the year, subject and type of its assessments. */
  private async fitsItsCategory(values: Values): Promise<boolean> {
    const [id, termId] = [idIn(values, 'category_id'), idIn(values, 'term_id')]
    if (id === null || termId === null) return true
    const category = await this.tx.find('assessment_category', this.school, id)
    const term = await this.tx.find('term', this.school, termId)
    if (!category || !term) return true
    const fits = { assessment_type: String(values['assessment_type']), subject_id: String(values['subject_id']) }
    return category.academic_year_id === term.academic_year_id && fitsCategory(category, fits)
  }

  /**
   * A register must be of a day in the year of its class, and not of a day after its write. The clock of the write is asked, not that of
   * this node, since nodes with different clocks would answer differently.
   */
  private async isOfItsYear(values: Values, [, , writtenAt]: Stamp): Promise<boolean> {
    const { day } = values
    if (typeof day !== 'string' || day > lastDayOfRegisters(writtenAt)) return false
    const id = idIn(values, 'student_group_id')
    const group = id === null ? undefined : await this.tx.find('student_group', this.school, id)
    const year = group && (await this.tx.find('academic_year', this.school, group.academic_year_id))
    return year === undefined || (day >= year.start_date && day <= year.end_date)
  }

  /** A score must not exceed every maximum that its assessment ever had. */
  private async isWithinMaximum(values: Values): Promise<boolean> {
    const id = idIn(values, 'assessment_id')
    return id === null || Number(values['score']) <= (await this.maximumOf(id))
  }

  /**
   * The highest maximum that the assessment ever had; infinity where it is not here. Each is read once: in a page assessments come before
   * marks.
   */
  private maximumOf(id: string): Promise<number> {
    const read = async () => {
      const known = (await knownRows(this.tx, 'assessment', this.school, [id])).get(id)
      if (!known || isLost(known)) return Number.POSITIVE_INFINITY
      const { values, units } = known.state
      return Math.max(Number(values['max_score'] ?? 0), units['scoring']?.[4] ?? 0)
    }
    const asked = this.maxima.get(id) ?? read()
    this.maxima.set(id, asked)
    return asked
  }
}
