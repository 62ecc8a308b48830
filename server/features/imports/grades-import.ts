import { gradeFailures } from '@markbook/shared/contract/grades'
import { imports } from '@markbook/shared/contract/imports'
import { common } from '@markbook/shared/failures'
import type { Sheet } from '@markbook/shared/spreadsheet/table'
import type { Row } from '@markbook/shared/tables/tables'
import { MARKSHEET_NAMES } from '../../documents/marksheet.ts'
import { onUpload } from '../../http/handler.ts'
import type { WriteTx } from '../../store/tx.ts'
import { assessmentsOf, inOrder, lockedAssessment } from '../assessments/assessments.policy.ts'
import { studentsOfClass } from '../classes/classes.policy.ts'
import { pick } from '../columns.ts'
import { demandFor, recordGrades } from '../grades/grades.policy.ts'
import type { PolicyContext } from '../policy.ts'
import { markCodesOf } from '../schools/mark-codes.policy.ts'
import { type GradesPlan, planGrades } from './grades-plan.ts'
import { recorded, type Where } from './import-record.ts'
import { type AssessmentPlace, assessmentPlace, demandSameYear, type SheetPlace, sheetPlace } from './imports.policy.ts'
import { gradesOfAssessments, studentsOfSchoolInYear, studentsOfSetInYear } from './imports.queries.ts'
import { assessmentColumns, type MarkTable, markTable, sheetColumns } from './mark-columns.ts'
import type { Candidate } from './mark-owners.ts'

/** The marks of a table, the students that they may belong to, and for which of those the caller may not write. */
type Marks = { table: MarkTable; candidates: Candidate[]; assessments: Row<'assessment'>[]; isForeign: (studentId: string) => boolean }

async function candidatesOfClass({ tx }: PolicyContext, school: string, group: string): Promise<Candidate[]> {
  const students = await studentsOfClass(tx, { school, group })
  return students.map((student) => ({ ...student, isNear: true }))
}

async function marksOfAssessment(context: PolicyContext, sheet: Sheet, { assessment, mayWrite }: AssessmentPlace): Promise<Marks> {
  const table = markTable(sheet, (columns) => assessmentColumns(sheet, columns, assessment))
  const { school_id: school, student_group_id: group, term_id: term } = assessment
  if (assessment.teaching_set_id !== null) {
    const students = await studentsOfSetInYear(context.tx, { school, term, set: assessment.teaching_set_id })
    const foreign = new Set(students.filter((student) => !mayWrite(student)).map(({ id }) => id))
    return {
      table,
      candidates: students.map((student) => ({ ...student, isNear: true })),
      assessments: [assessment],
      isForeign: (id) => foreign.has(id),
    }
  }
  if (group !== null) {
    const isForeign = (id: string) => !mayWrite({ id, group_id: group })
    return { table, candidates: await candidatesOfClass(context, school, group), assessments: [assessment], isForeign }
  }
  const students = await studentsOfSchoolInYear(context.tx, { school, term })
  const foreign = new Set(students.filter((student) => !mayWrite(student)).map(({ id }) => id))
  const candidates = students.map((student) => ({ ...student, isNear: student.group_id !== null && !foreign.has(student.id) }))
  return { table, candidates, assessments: [assessment], isForeign: (studentId) => foreign.has(studentId) }
}

async function marksOfSheet(context: PolicyContext, sheet: Sheet, { group, term, subjectId }: SheetPlace): Promise<Marks> {
  const school = group.school_id
  demandSameYear(group, term)
  const listed = await assessmentsOf(context.tx, { school, term: term.id, subject: subjectId, group: group.id })
  const held: Row<'assessment'>[] = []
  // In the order of ids, so that two sheets at once cannot wait for each other.
  for (const { id } of [...listed].sort((a, b) => (a.id < b.id ? -1 : 1))) held.push(await lockedAssessment(context, id))
  const assessments = inOrder(held)
  const table = markTable(sheet, (columns) => sheetColumns(columns, assessments))
  return { table, candidates: await candidatesOfClass(context, school, group.id), assessments, isForeign: () => false }
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
    const isWhole = targets['studentGroupId'] && targets['termId'] && targets['subjectId']
    // An incomplete query is refused by its schema, which is checked next.
    return isWhole ? sheetPlace(context, 'writeGrades', targets) : null
  },
  run: async (context, { query, prepared }, place) => {
    if (!place) throw common.notFound()
    const { sheet, filename } = prepared
    const marks = await ('assessment' in place ? marksOfAssessment(context, sheet, place) : marksOfSheet(context, sheet, place))
    const ids = JSON.stringify(marks.assessments.map(({ id }) => id))
    const grades = await gradesOfAssessments(context.tx, { school: context.caller.school_id, ids })
    const plan = planGrades(marks.table, marks.candidates, grades, await markCodesOf(context.tx, context.caller.school_id))
    if ([...plan.marked].some(marks.isForeign)) throw gradeFailures.notYourSubject()
    await demandInSets(context.tx, marks.assessments, plan)
    if (!query.dryRun && plan.report.errors === 0) await write(context.tx, marks.assessments, plan)
    return recorded(context, plan.report, { kind: 'grades', file: filename, ...whereOf(place) }, query)
  },
})

/** A sheet of a class has columns of teaching sets that only some of its students are in. */
async function demandInSets(tx: WriteTx, assessments: readonly Row<'assessment'>[], { marks }: GradesPlan) {
  for (const assessment of assessments)
    if (assessment.teaching_set_id !== null)
      await demandFor(
        tx,
        assessment,
        (marks.get(assessment.id) ?? []).map(({ studentId: id }) => ({ id, group_id: null })),
        () => 'file',
      )
}

const whereOf = (place: AssessmentPlace | SheetPlace): Where =>
  'assessment' in place
    ? pick(place.assessment, 'student_group_id', 'term_id', 'subject_id')
    : { student_group_id: place.group.id, term_id: place.term.id, subject_id: place.subjectId }
