import { AcademicYear } from '@markbook/shared/contract/academic-years'
import { AssessmentCategory } from '@markbook/shared/contract/assessment-categories'
import { Assessment } from '@markbook/shared/contract/assessments'
import { AttendanceMark, AttendanceRegister } from '@markbook/shared/contract/attendance'
import { Class, Enrolment, StudentSubject } from '@markbook/shared/contract/classes'
import { Grade } from '@markbook/shared/contract/grades'
import { GradingScale } from '@markbook/shared/contract/grading-scale'
import { ClassReportFile } from '@markbook/shared/contract/report-files'
import { Report, ReportEntry, ReportPdf } from '@markbook/shared/contract/reports'
import { School } from '@markbook/shared/contract/schools'
import { Student } from '@markbook/shared/contract/students'
import { Subject } from '@markbook/shared/contract/subjects'
import { TeachingSet, TeachingSetMember, TeachingSetTeacher } from '@markbook/shared/contract/teaching-sets'
import { Term } from '@markbook/shared/contract/terms'
import type { Area } from '@markbook/shared/domain/access'
import { postgresTables } from '@markbook/shared/tables/postgres'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { getTableColumns, type Table } from 'drizzle-orm'
import { PERSONAL } from '../../replication/scope/personal-data.ts'

export type AnyRow = Readonly<Record<string, unknown>> & { readonly id: string }
/** A column in the protocol's terms; `type` is a Postgres type, by which the official client parses the value. */
export type ShapeColumn = { readonly type: string; readonly not_null?: true; readonly pk_index?: 0 }

/**
 * A table with shapes. `area`: the right that it requires. `classColumn`: it is readable by class, and this column, of the row or of its
 * report book (`through`), names the class.
 */
export type ShapeTable = {
  readonly name: Replicated
  readonly area: Area
  readonly columns: Readonly<Record<string, ShapeColumn>>
  readonly classColumn: string | null
  readonly through: 'report_book' | null
  /** The merge unit of the class column; null where a row never changes its class. */
  readonly classUnit: string | null
  /** Columns that never change, even in a row that is deleted and created again. */
  readonly lasting: ReadonlySet<string>
  /** Converts a row to the contract's row. */
  readonly shown: (row: AnyRow) => AnyRow
}

type Declared = {
  area: Area
  /** The columns: those of the contract's row that the table has, or this list where the contract has no such row. */
  named: { readonly shape: object } | readonly string[]
  classColumn?: string
  through?: 'report_book'
  more?: Readonly<Record<string, ShapeColumn>>
  shown?: (row: AnyRow) => AnyRow
}

const setup = (named: Declared['named']): Declared => ({ area: 'readSchoolSetup', named })
const ofClass = (named: Declared['named'], classColumn = 'student_group_id'): Declared => ({ area: 'readClass', named, classColumn })
const report = (named: Declared['named']): Declared => ({ area: 'reports', named, classColumn: 'student_group_id' })

/** All tables with shapes; none with keys of the store, secrets, or accounts (docs/design/shapes.md). */
const DECLARED: Partial<Record<Replicated, Declared>> = {
  school: setup(School),
  academic_year: setup(AcademicYear),
  active_year: setup(['id', 'academic_year_id']),
  term: setup(Term),
  subject: setup(Subject),
  grading_scale: setup({ shape: { id: null, ...GradingScale.shape } }),
  assessment_category: setup(AssessmentCategory),
  school_management: { area: 'writeSchoolSetup', named: ['id', 'user_id', 'role', 'is_active', 'created_at'] },
  student: { area: 'readStudents', named: Student },
  student_group: ofClass(Class, 'id'),
  teacher_group_assignment: ofClass(['id', 'user_profile_id', 'student_group_id', 'academic_year_id']),
  class_teacher: ofClass(['id', 'student_group_id', 'user_profile_id']),
  teacher_subject_assignment: ofClass(['id', 'user_profile_id', 'subject_id', 'student_group_id', 'academic_year_id']),
  enrolment: ofClass(Enrolment),
  student_subject: ofClass(StudentSubject),
  teaching_set: { area: 'readStudents', named: TeachingSet },
  teaching_set_teacher: { area: 'readStudents', named: TeachingSetTeacher },
  teaching_set_member: { area: 'readStudents', named: TeachingSetMember },
  attendance_register: ofClass(AttendanceRegister),
  attendance_mark: ofClass(AttendanceMark),
  assessment: { area: 'readAssessmentsAndGrades', named: Assessment },
  grade: { area: 'readAssessmentsAndGrades', named: Grade },
  report_book: report(Report),
  report_book_entry: {
    ...report(ReportEntry),
    through: 'report_book',
    more: { letter_grade: { type: 'text' } },
    shown: (row) => ({ ...row, letter_grade: row['manual_letter'] ?? row['computed_letter'] ?? null }),
  },
  report_book_pdf: { ...report(ReportPdf), through: 'report_book' },
  class_report_file: report(ClassReportFile),
}

const TYPES: readonly (readonly [begins: string, type: string])[] = [
  ['uuid', 'uuid'],
  ['text', 'text'],
  ['boolean', 'bool'],
  ['integer', 'int4'],
  ['bigint', 'int8'],
  ['double precision', 'float8'],
  ['date', 'date'],
  ['timestamp', 'timestamptz'],
]

export const shapeTables: ReadonlyMap<string, ShapeTable> = new Map(
  Object.entries(DECLARED).map(([name, declared]) => [name, tableOf(name as Replicated, declared)]),
)

function tableOf(name: Replicated, declared: Declared): ShapeTable {
  const { area, named, classColumn = null, through = null, more = {}, shown = (row) => row } = declared
  const stored = getTableColumns(postgresTables[name] as Table)
  const wanted = 'shape' in named ? Object.keys(named.shape) : named
  const columns: [string, ShapeColumn][] = wanted.flatMap((column) => {
    const known = stored[column]
    if (!known) return more[column] ? [[column, more[column]]] : []
    const type = column === 'bands' ? 'jsonb' : typeOf(known.getSQLType())
    return [
      [
        column,
        {
          type,
          ...(known.notNull && !isPersonal(name, column) && { not_null: true as const }),
          ...(column === 'id' && { pk_index: 0 as const }),
        },
      ],
    ]
  })
  const units = Object.entries(descriptions[through ?? name].units)
  const classUnit = units.find(([, members]) => members.includes(classColumn ?? ''))?.[0] ?? null
  const lasting = new Set(descriptions[name].identity.filter((column) => !column.startsWith('created_')))
  return { name, area, columns: Object.fromEntries(columns), classColumn, classUnit, through, lasting, shown }
}

/** Columns that are null for people who may not see them, whatever the database allows. */
function isPersonal(table: Replicated, column: string): boolean {
  return table === 'student' && PERSONAL.some((one) => one === column)
}

function typeOf(sqlType: string): string {
  const known = TYPES.find(([begins]) => sqlType.startsWith(begins))
  if (!known) throw new Error(`no type of the shape protocol for ${sqlType}`)
  return known[1]
}
