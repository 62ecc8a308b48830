import { gradeFailures } from '@markbook/shared/contract/grades'
import { imports } from '@markbook/shared/contract/imports'
import { common } from '@markbook/shared/failures'
import type { Sheet } from '@markbook/shared/spreadsheet/table'
import type { Row } from '@markbook/shared/tables/tables'
import { MARKSHEET_NAMES } from '../../documents/marksheet.ts'
import { onUpload } from '../../http/handler.ts'
import { pick } from '../../store/conditions.ts'
import type { WriteTx } from '../../store/tx.ts'
import { inOrder, lockedAssessment } from '../assessments/assessments.policy.ts'
import { studentsOfClass } from '../classes/classes.policy.ts'
import { type GradedStudent, gradeRights, type MayWrite, recordGrades } from '../grades/grades.policy.ts'
import type { PolicyContext } from '../policy.ts'
import { markCodesOf } from '../schools/mark-codes.policy.ts'
import { withSitters } from '../teaching-sets/teaching-sets.policy.ts'
import { type GradesPlan, planGrades } from './grades-plan.ts'
import { nowhere, recorded, type Where } from './import-record.ts'
import {
  type AssessmentPlace,
  assessmentPlace,
  assessmentsOfSheet,
  demandSameYear,
  type SheetPlace,
  sheetIfNamed,
  studentsOfSet,
} from './imports.policy.ts'
import { gradesOfAssessments, studentsOfSchoolInYear, studentsOfSetInYear } from './imports.queries.ts'
import { assessmentColumns, type MarkTable, markTable, sheetColumns } from './mark-columns.ts'
import type { Candidate } from './mark-owners.ts'

/** The marks of a table, the candidate students, and those whose grades the caller may not write. */
type Marks = { table: MarkTable; candidates: Candidate[]; assessments: Row<'assessment'>[]; isForeign: (studentId: string) => boolean }

const near = (students: readonly Omit<Candidate, 'isNear'>[]): Candidate[] => students.map((student) => ({ ...student, isNear: true }))

async function candidatesOfClass({ tx }: PolicyContext, { school_id: school, id: group }: Pick<Row<'student_group'>, 'school_id' | 'id'>) {
  const students = await studentsOfClass(tx, { school, group })
  return near(students.map((student) => ({ ...student, group_id: group })))
}

function foreignOf(students: readonly GradedStudent[], mayWrite: MayWrite): (studentId: string) => boolean {
  const foreign = new Set(students.filter((student) => !mayWrite(student)).map(({ id }) => id))
  return (id) => foreign.has(id)
}

async function marksOfAssessment(context: PolicyContext, sheet: Sheet, { assessment: row, mayWrite }: AssessmentPlace): Promise<Marks> {
  const [assessment = row] = await withSitters(context.tx, row.school_id, [row])
  const table = markTable(sheet, (columns) => assessmentColumns(sheet, columns, assessment))
  const { school_id: school, student_group_id: group, term_id: term } = assessment
  if (assessment.teaching_set_id !== null) {
    const students = await studentsOfSetInYear(context.tx, { school, term, set: assessment.teaching_set_id })
    return { table, candidates: near(students), assessments: [assessment], isForeign: foreignOf(students, mayWrite) }
  }
  if (group !== null) {
    const isForeign = (id: string) => !mayWrite({ id, group_id: group })
    return { table, candidates: await candidatesOfClass(context, { school_id: school, id: group }), assessments: [assessment], isForeign }
  }
  const students = await studentsOfSchoolInYear(context.tx, { school, term })
  const isForeign = foreignOf(students, mayWrite)
  const candidates = students.map((student) => ({ ...student, isNear: student.group_id !== null && !isForeign(student.id) }))
  return { table, candidates, assessments: [assessment], isForeign }
}

async function marksOfSheet(context: PolicyContext, sheet: Sheet, place: SheetPlace): Promise<Marks> {
  demandSameYear(place)
  const { of, term } = place
  const listed = await assessmentsOfSheet(context.tx, place)
  const held: Row<'assessment'>[] = []
  // In the order of ids, so that concurrent imports do not deadlock.
  for (const { id } of [...listed].sort((a, b) => (a.id < b.id ? -1 : 1))) held.push(await lockedAssessment(context, id))
  const assessments = await withSitters(context.tx, term.school_id, inOrder(held))
  const table = markTable(sheet, (columns) => sheetColumns(columns, assessments))
  const [first] = held
  if ('set' in of && first) {
    const students = await studentsOfSet(context.tx, of.set, term)
    // The rights are the same for each of them: those of the subject in the term.
    const mayWrite = await (await gradeRights(context, first)).bySet()
    return { table, candidates: near(students), assessments, isForeign: foreignOf(students, mayWrite) }
  }
  return { table, candidates: 'set' in of ? [] : await candidatesOfClass(context, of.group), assessments, isForeign: () => false }
}

async function write(tx: WriteTx, assessments: readonly Row<'assessment'>[], { marks }: GradesPlan) {
  for (const assessment of assessments) await recordGrades(tx, assessment, marks.get(assessment.id) ?? [])
}

export const importGrades = onUpload(imports.grades, {
  prepare: async ({ filename, contentType, bytes }, { documents }, { school_id }) => ({
    filename,
    sheet: await documents.readSheet({ filename, type: contentType, bytes }, MARKSHEET_NAMES, { school: school_id }),
  }),
  load: async (context, { targets }): Promise<(AssessmentPlace | SheetPlace) | null> => {
    if (targets['assessmentId'] !== undefined) return assessmentPlace(context, targets['assessmentId'])
    return sheetIfNamed(context, 'writeGrades', targets)
  },
  run: async (context, { query, prepared }, place) => {
    if (!place) throw common.notFound()
    const { sheet, filename } = prepared
    const marks = await ('assessment' in place ? marksOfAssessment(context, sheet, place) : marksOfSheet(context, sheet, place))
    const ids = JSON.stringify(marks.assessments.map(({ id }) => id))
    const grades = await gradesOfAssessments(context.tx, { school: context.caller.school_id, ids })
    const plan = planGrades(marks.table, marks.candidates, grades, await markCodesOf(context.tx, context.caller.school_id))
    if ([...plan.marked].some(marks.isForeign)) throw gradeFailures.notYourSubject()
    if (!query.dryRun && plan.report.errors === 0) await write(context.tx, marks.assessments, plan)
    return recorded(context, plan.report, { kind: 'grades', file: filename, ...whereOf(place) }, query)
  },
})

function whereOf(place: AssessmentPlace | SheetPlace): Where {
  if ('assessment' in place) return pick(place.assessment, 'student_group_id', 'teaching_set_id', 'term_id', 'subject_id')
  const { of, term, subjectId } = place
  const whose = 'set' in of ? { ...nowhere, teaching_set_id: of.set.id } : { ...nowhere, student_group_id: of.group.id }
  return { ...whose, term_id: term.id, subject_id: subjectId }
}
