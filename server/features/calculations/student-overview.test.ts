import { elan, hilltopPupil, oisin, wanderer } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { class3A, class3B, maths, michaelmas, thisYear } from '@markbook/shared/story/school-year'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())
const page = (who: 'okafor' | 'byrne' | 'ada' | 'quinn', id: string) => st.as[who].calculations.student({ params: { id } })

describe('GET /api/students/:id/overview', () => {
  test('the class teacher sees the class, the results of its terms, the report books and what is missing', async () => {
    const seen = await page('byrne', elan.id)
    expect(seen.student).toMatchObject({ first_name: 'Élan', date_of_birth: elan.date_of_birth })
    const [here] = seen.classes
    expect(here).toMatchObject({
      id: class3B.id,
      name: '3B',
      academic_year: { id: thisYear.id },
      class_teacher: { id: people.byrne.id },
    })
    const term = here?.terms.find((one) => one.term.id === michaelmas.id)
    const {
      student_id: _,
      term_id: __,
      ...own
    } = await st.as.byrne.calculations.studentTerm({
      query: { studentId: elan.id, termId: michaelmas.id },
    })
    expect(term?.result).toEqual(own)
    const books = (await st.rows('report_book')).filter(({ student_id }) => student_id === elan.id)
    expect(books.length).toBeGreaterThan(0)
    expect(seen.books.map(({ id, status }) => [id, status]).sort()).toEqual(books.map(({ id, status }) => [id, status]).sort())
    const missing = await st.as.byrne.calculations.missingMarks({ query: { studentGroupId: class3B.id, termId: michaelmas.id } })
    const his = missing.filter(({ students }) => students.some(({ id }) => id === elan.id)).map((one) => one.assessment_id)
    expect(seen.missing.filter(({ term_id }) => term_id === michaelmas.id).map((one) => one.assessment_id)).toEqual(his)
    expect(his.length).toBeGreaterThan(0)
  })

  test('a teacher of one subject sees the results, what is missing in it, and no book', async () => {
    const seen = await page('ada', elan.id)
    expect(seen.student).toMatchObject({ date_of_birth: null, gender: null })
    expect(seen.classes.map(({ id }) => id)).toEqual([class3B.id])
    expect(seen.books).toEqual([])
    expect(new Set([maths.id, ...seen.missing.map(({ subject_id }) => subject_id)])).toEqual(new Set([maths.id]))
  })

  test('a teacher of another class sees only the pupil’s name', async () => {
    expect(await page('ada', oisin.id)).toMatchObject({ student: { first_name: 'Oisín' }, classes: [], books: [], missing: [] })
    expect((await page('quinn', oisin.id)).classes.map(({ id }) => id)).toEqual([class3A.id])
    expect(await page('quinn', elan.id)).toMatchObject({ classes: [], books: [], missing: [] })
  })

  test('a pupil of no class; one of another school is 404', async () => {
    expect(await page('okafor', wanderer.id)).toMatchObject({ student: { gender: 'other' }, classes: [], books: [], missing: [] })
    expect(await st.as.okafor.calculations.student.raw({ params: { id: hilltopPupil.id } })).toMatchObject({ status: 404 })
    expect(await st.as.niamh.calculations.student.raw({ params: { id: elan.id } })).toMatchObject({ status: 403 })
  })
})
