import { insertByTable } from '@markbook/server/store/rows-by-table'
import { asSystem } from '@markbook/server/store/tx'
import { repeatableIds } from '@markbook/server/testing/clock'
import { enrolmentRow } from '@markbook/shared/story/rows'
import { emptyFolder, withStore } from './fill.ts'
import { assessment, benchSchool, type Marked, marksIn, OPENED, pupil } from './school.ts'

/** The class that the mark grid is measured with: pupils, and assessments of one subject in which all pupils have marks. */
export type ClassSize = { pupils: number; assessments: number }
export type AppSchool = { folder: string; term: string; subject: string; group: string }

/** A copy of the school with one more class of this size, in a database of its own. */
export async function appSchool(size: ClassSize): Promise<AppSchool> {
  const { id: school_id, year, rows, markedNow } = benchSchool('year')
  const { term } = markedNow[0] as Marked
  const subject = (rows.subject[0] as { id: string }).id
  const folder = await emptyFolder()
  const newId = repeatableIds({ now: () => OPENED }, `bench-app-${size.pupils}`)
  const group = { id: newId(), school_id, name: 'Hall', academic_year_id: year.id, created_by: null }
  const pupils = Array.from({ length: size.pupils }, (_, at) => pupil(newId, school_id, 5_000 + at))
  const assessments = Array.from({ length: size.assessments }, (_, at) => assessment(newId, group, term.id, subject, at))
  const all = {
    ...rows,
    student: [...rows.student, ...pupils],
    student_group: [...rows.student_group, group],
    enrolment: [...rows.enrolment, ...pupils.map((student) => enrolmentRow(student, group))],
    assessment: assessments,
    grade: marksIn({ group, term, pupils, assessments }, 7),
  }
  await withStore({ folder }, (store) => store.write(asSystem(), (tx) => insertByTable(tx, all)))
  return { folder, term: term.id, subject, group: group.id }
}
