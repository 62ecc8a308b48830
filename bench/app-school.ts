import { randomBytes } from 'node:crypto'
import { openSchoolStore, type Store } from '@markbook/server/store/store'
import { asSystem } from '@markbook/server/store/tx'
import { repeatableIds } from '@markbook/server/testing/clock'
import { systemClock } from '@markbook/shared/clock'
import { idSource, naturalId } from '@markbook/shared/ids'
import type { Replicated } from '@markbook/shared/tables/tables'
import { emptyFolder } from './fill.ts'
import { benchSchool, type Marked, marksIn } from './school.ts'

/** What the mark grid is measured with: pupils in a class, assessments of one subject, all of them marked. */
export type Asked = { pupils: number; assessments: number }
export type AppSchool = { folder: string; term: string; subject: string; group: string }

/** A school with one more class, of this size, in a database of its own. */
export async function appSchool({ pupils: count, assessments }: Asked): Promise<AppSchool> {
  const school = benchSchool('year')
  const folder = await emptyFolder(`app-${count}`)
  const newId = repeatableIds({ now: () => Date.parse('2025-09-01T08:00:00.000Z') }, `bench-app-${count}`)
  const [first] = school.markedNow
  const [model] = first?.assessments ?? []
  const [someone] = school.rows.student
  if (!first || !model || !someone) throw new Error('the school of the benchmark is empty')
  const group = { id: newId(), school_id: school.id, name: 'Hall', academic_year_id: school.year.id, created_by: null }
  const pupils = Array.from({ length: count }, (_, at) => ({
    ...someone,
    id: newId(),
    first_name: `First${String((at * 271) % 997).padStart(3, '0')}`,
    last_name: `Family${String((at * 379) % 991).padStart(3, '0')}`,
    student_number: `H-${at}`,
  }))
  const enrolments = pupils.map(({ id }) => ({
    id: naturalId('enrolment', id, school.year.id),
    school_id: school.id,
    student_id: id,
    student_group_id: group.id,
    academic_year_id: school.year.id,
    enrolled_at: '2025-09-01T08:00:00.000Z',
  }))
  const own = Array.from({ length: assessments }, (_, at) => ({
    ...model,
    id: newId(),
    student_group_id: group.id,
    title: `Test ${at + 1}`,
    assessment_type: at % 4 === 3 ? ('exam' as const) : ('coursework' as const),
    sort_order: at + 1,
  }))
  const marked: Marked = { group, term: first.term, pupils, assessments: own }
  const store = await openSchoolStore(folder, {
    clock: systemClock,
    newId: idSource(systemClock.now, (bytes) => randomBytes(bytes)),
    kind: 'school',
  })
  const { rows } = school
  const all = {
    ...rows,
    student: [...rows.student, ...pupils],
    student_group: [...rows.student_group, group],
    enrolment: [...rows.enrolment, ...enrolments],
  }
  await put(store, { ...all, assessment: own, grade: marksIn(marked, 7) })
  await store.close()
  return { folder, term: first.term.id, subject: model.subject_id, group: group.id }
}

const put = (store: Store, rows: Readonly<Record<string, readonly unknown[]>>) =>
  store.write(asSystem(), async (tx) => {
    for (const [table, own] of Object.entries(rows)) await tx.insert(table as Replicated, own as never)
  })
