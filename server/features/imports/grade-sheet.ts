import { imports } from '@markbook/shared/contract/imports'
import { buildMarksheet, type MarksheetInput } from '../../documents/marksheet.ts'
import { onFile } from '../../http/handler.ts'
import { assessmentsOfClass } from '../assessments/assessments.queries.ts'
import { inOrder } from '../assessments/order.ts'
import { studentsOfClass } from '../classes/enrolment.queries.ts'
import { subjectsInClass } from '../classes/student-subjects.queries.ts'
import { type Asker, rowOf } from '../policy.ts'
import { demandSameYear, type SheetPlace, sheetPlace } from './imports.policy.ts'
import { gradesOfAssessments } from './imports.queries.ts'

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** The class's pupils who take the subject, or who have a mark in it all the same, by last name; the assessments in their order. */
export async function marksheetOf({ tx }: Pick<Asker, 'tx'>, { group, term, subjectId }: SheetPlace): Promise<MarksheetInput> {
  const inClass = { school: group.school_id, group: group.id }
  const assessments = inOrder(await assessmentsOfClass(tx, { ...inClass, term: term.id, subject: subjectId }))
  const ids = JSON.stringify(assessments.map(({ id }) => id))
  const marks = await gradesOfAssessments(tx, { school: group.school_id, ids })
  const given = await subjectsInClass(tx, inClass)
  const chosen = new Set(given.map(({ student_id }) => student_id))
  const takers = new Set([...given.filter(({ subject_id }) => subject_id === subjectId), ...marks].map(({ student_id }) => student_id))
  const students = await studentsOfClass(tx, inClass)
  return { students: students.filter(({ id }) => !chosen.has(id) || takers.has(id)), assessments, marks }
}

export const gradeSheet = onFile(imports.gradeSheet, {
  load: (scene, { targets }) => sheetPlace(scene, 'readClass', targets),
  run: async (scene, _asked, place) => {
    demandSameYear(place.group, place.term)
    const subject = await rowOf(scene, 'subject', place.subjectId)
    const filename = `${place.group.name} ${subject.name} ${place.term.name}.xlsx`
    return { filename, madeAt: scene.tx.nowMs, sheet: buildMarksheet(await marksheetOf(scene, place)) }
  },
  finish: async ({ filename, madeAt, sheet }, { papers }) => ({
    filename,
    contentType: XLSX,
    bytes: await papers.workbook({ sheets: [sheet], madeAt }),
  }),
})
