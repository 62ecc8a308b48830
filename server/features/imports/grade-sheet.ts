import { imports } from '@markbook/shared/contract/imports'
import { buildMarksheet, type MarksheetInput } from '../../documents/marksheet.ts'
import { onFile } from '../../http/handler.ts'
import { assessmentsOf } from '../assessments/assessments.policy.ts'
import { studentsOfClass, subjectsInClass } from '../classes/classes.policy.ts'
import { type PolicyContext, rowOf } from '../policy.ts'
import { markCodesOf } from '../schools/mark-codes.policy.ts'
import { demandSameYear, type SheetPlace, sheetPlace } from './imports.policy.ts'
import { gradesOfAssessments } from './imports.queries.ts'
import { workbookFile } from './workbook-file.ts'

/** The class's pupils who take the subject, or who have a mark in it all the same, by last name; the assessments in their order. */
export async function marksheetOf({ tx }: Pick<PolicyContext, 'tx'>, { group, term, subjectId }: SheetPlace): Promise<MarksheetInput> {
  const inClass = { school: group.school_id, group: group.id }
  const assessments = await assessmentsOf(tx, { ...inClass, term: term.id, subject: subjectId })
  const ids = JSON.stringify(assessments.map(({ id }) => id))
  const marks = await gradesOfAssessments(tx, { school: group.school_id, ids })
  const given = await subjectsInClass(tx, inClass)
  const chosen = new Set(given.map(({ student_id }) => student_id))
  const takers = new Set([...given.filter(({ subject_id }) => subject_id === subjectId), ...marks].map(({ student_id }) => student_id))
  const students = await studentsOfClass(tx, inClass)
  return {
    students: students.filter(({ id }) => !chosen.has(id) || takers.has(id)),
    assessments,
    marks,
    codes: await markCodesOf(tx, group.school_id),
  }
}

export const gradeSheet = onFile(imports.gradeSheet, {
  load: (context, { targets }) => sheetPlace(context, 'readClass', targets),
  run: async (context, _input, place) => {
    demandSameYear(place.group, place.term)
    const subject = await rowOf(context, 'subject', place.subjectId)
    const filename = `${place.group.name} ${subject.name} ${place.term.name}.xlsx`
    const workbook = { sheets: [buildMarksheet(await marksheetOf(context, place))], madeAt: context.tx.nowMs }
    return { filename, school: place.group.school_id, workbook }
  },
  finish: workbookFile,
})
