import { imports } from '@markbook/shared/contract/imports'
import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import { buildMarksheet, type MarksheetInput } from '../../documents/marksheet.ts'
import { onFile } from '../../http/handler.ts'
import type { ReadTx } from '../../store/tx.ts'
import { studentsOfClass, subjectsInClass } from '../classes/classes.policy.ts'
import { type PolicyContext, rowOf } from '../policy.ts'
import { markCodesOf } from '../schools/mark-codes.policy.ts'
import { assessmentsOfSheet, demandSameYear, type SheetPlace, sheetIfNamed, studentsOfSet } from './imports.policy.ts'
import { gradesOfAssessments } from './imports.queries.ts'
import { workbookFile } from './workbook-file.ts'

/** The mark sheet: pupils by last name, those of a teaching set by class first; assessments in order. */
export async function marksheetOf({ tx }: Pick<PolicyContext, 'tx'>, place: SheetPlace): Promise<MarksheetInput> {
  const { of, term } = place
  const school = term.school_id
  const assessments = await assessmentsOfSheet(tx, place)
  const marks = await gradesOfAssessments(tx, { school, ids: JSON.stringify(assessments.map(({ id }) => id)) })
  const students = 'set' in of ? await studentsOfSet(tx, of.set, term) : await takersIn(tx, { ...place, group: of.group }, marks)
  return { students, assessments, marks, codes: await markCodesOf(tx, school) }
}

/** The students of a class who take the subject, or have a mark in it. */
async function takersIn(
  tx: ReadTx,
  { group, subjectId }: { group: Row<'student_group'>; subjectId: string },
  marks: readonly { student_id: string }[],
) {
  const inClass = { school: group.school_id, group: group.id }
  const given = await subjectsInClass(tx, inClass)
  const chosen = new Set(given.map(({ student_id }) => student_id))
  const takers = new Set([...given.filter(({ subject_id }) => subject_id === subjectId), ...marks].map(({ student_id }) => student_id))
  const students = await studentsOfClass(tx, inClass)
  return students.filter(({ id }) => !chosen.has(id) || takers.has(id))
}

export const gradeSheet = onFile(imports.gradeSheet, {
  load: (context, { targets }) => sheetIfNamed(context, 'readClass', targets),
  run: async (context, _input, place) => {
    if (!place) throw common.notFound()
    demandSameYear(place)
    const subject = await rowOf(context, 'subject', place.subjectId)
    const { name } = 'set' in place.of ? place.of.set : place.of.group
    const filename = `${name} ${subject.name} ${place.term.name}.xlsx`
    const workbook = { sheets: [buildMarksheet(await marksheetOf(context, place))], madeAt: context.tx.nowMs }
    return { filename, school: place.term.school_id, workbook }
  },
  finish: workbookFile,
})
