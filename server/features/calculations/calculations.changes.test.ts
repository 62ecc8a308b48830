import { aoife, elan, lukasz, mathsTrinity, mei, sean, wanderer, zoe } from '@markbook/shared/story/marks'
import { class3A, class3B, maths, michaelmas, science, thisYear, trinity } from '@markbook/shared/story/school-year'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { atOneMoment } from '../../store/feed-position.ts'
import { asSystem } from '../../store/tx.ts'
import { type School, school } from '../../testing/school.ts'
import { addGrade, assignSubject, place } from './calculations.fixtures.ts'

let st: School
beforeEach(async () => {
  st = await school()
})
afterEach(() => st.close())

const termOf3B = { termId: michaelmas.id, studentGroupId: class3B.id }

describe('which students and marks are counted', () => {
  test('a student without a class has figures, but no position', async () => {
    await addGrade(st, mathsTrinity, wanderer, 64)
    const result = await st.as.okafor.calculations.studentTerm({ query: { studentId: wanderer.id, termId: trinity.id } })
    expect(result).toMatchObject({ overall_average: 64, position: null, total_students: 0 })
  })

  test('a student with subjects of their own takes only those, also without a mark', async () => {
    await assignSubject(st, elan, [maths, science])
    const result = await st.as.byrne.calculations.studentTerm({ query: { studentId: elan.id, termId: michaelmas.id } })
    expect(result.subjects.map((subject) => [subject.subject_code, subject.term_composite])).toEqual([
      ['MA', 83.75],
      ['SC', null],
    ])
    expect(result.overall_average).toBe(83.75)
  })

  test('a class nobody is in has no results', async () => {
    await place(st, [elan, zoe, sean, aoife, lukasz, mei], null)
    expect((await st.as.byrne.calculations.classTerm({ query: termOf3B })).students).toEqual([])
  })

  test('with the exam of the last term it is weighed 40 to 60', async () => {
    await addGrade(st, mathsTrinity, elan, 80)
    const result = await st.as.byrne.calculations.studentYear({ query: { studentId: elan.id, academicYearId: thisYear.id } })
    // T = (83.75 + 73.33 + 80) / 3 = 237.08 / 3; (T·40 + 80·60) / 100 = 31.6106… + 48.
    expect(result.subjects[0]).toMatchObject({ end_of_year_exam: 80, year_grade: 79.61, is_partial: false })
  })

  test('a student who changes class keeps their marks, except those in the old class’s own assessments', async () => {
    await place(st, [elan], class3A)
    const { students } = await st.as.quinn.calculations.classTerm({ query: { ...termOf3B, studentGroupId: class3A.id } })
    const own = students.find(({ student_id }) => student_id === elan.id)
    // The quiz alone, 87.5; the homework was 3B's.
    expect(own?.subjects[0]).toMatchObject({ coursework_average: 87.5, term_composite: 87.5 })
    expect(own?.total_students).toBe(3)
  })
})

describe('results are cached, and never outdated', () => {
  const overallOf = async (student: { id: string }) => {
    const { students } = await st.as.byrne.calculations.classTerm({ query: termOf3B })
    return students.find(({ student_id }) => student_id === student.id)?.overall_average
  }
  const change = (act: Parameters<typeof st.services.store.write>[1]) => st.services.store.write(asSystem(), act)

  test('the same request again is served without reading a mark', async () => {
    const first = await st.as.byrne.calculations.classTerm({ query: termOf3B })
    const { store } = st.services
    const asService: string[] = []
    st.services.store = {
      ...store,
      read: (identity, fn) => {
        if (identity.userId === null) asService.push('read')
        return store.read(identity, fn)
      },
    }
    expect(await st.as.byrne.calculations.classTerm({ query: termOf3B })).toEqual(first)
    // Another person's request for one of them is served from it too.
    const { student: _name, ...own } = first.students[0] as (typeof first.students)[number]
    expect(await st.as.okafor.calculations.studentTerm({ query: { studentId: own.student_id, termId: michaelmas.id } })).toEqual(own)
    expect(asService).toEqual([])
  })

  test('a mark, its exclusion, a weight and the scale count from the next request', async () => {
    expect(await overallOf(lukasz)).toBe(46.88)
    const grade = (await st.rows('grade')).find(({ student_id, score }) => student_id === lukasz.id && score === 30)
    await change((tx) => tx.update('grade', [{ before: grade as never, patch: { score: 50 } }]))
    // English is 100·0.4 + 49·0.6 = 69.4; (40.35 + 69.4) / 2 = 54.875.
    expect(await overallOf(lukasz)).toBe(54.88)
    const [scored] = (await st.rows('grade')).filter(({ id }) => id === grade?.id)
    await change((tx) => tx.update('grade', [{ before: scored as never, patch: { is_excluded: true } }]))
    // English is the exam alone, 49; (40.35 + 49) / 2 = 44.675.
    expect(await overallOf(lukasz)).toBe(44.68)
    await st.as.okafor.terms.update({ params: { id: michaelmas.id }, body: { examWeight: 0, courseworkWeight: 100 } })
    // Mathematics is the coursework, 43.125, printed 43.13; English and Irish have no side with weight.
    expect(await overallOf(lukasz)).toBe(43.13)
    await st.as.okafor.gradingScale.put({ body: { passMark: 40, bands: [{ letter: 'Q', minimum: 0, remark: 'Q' }] } })
    const { students } = await st.as.byrne.calculations.classTerm({ query: termOf3B })
    expect(new Set(students.map(({ letter_grade }) => letter_grade))).toEqual(new Set(['Q']))
  })
})

test.runIf(process.env['TEST_DATABASE'] === 'postgres')(
  'a calculation in a writing transaction is repeated where a mark was saved in between',
  async () => {
    const { store } = st.services
    let times = 0
    const scores = await store.write(asSystem(), (tx) =>
      atOneMoment(tx, class3B.school_id, async () => {
        times += 1
        if (times === 1) await addGrade(st, mathsTrinity, elan, 64)
        return (await tx.db.select().from(tx.t.grade)).filter(({ assessment_id }) => assessment_id === mathsTrinity.id).length
      }),
    )
    expect({ times, scores }).toEqual({ times: 2, scores: 1 })
  },
)
