import { elan, hilltopPupil, oisin, wanderer } from '@markbook/shared/story/marks'
import type { PersonName } from '@markbook/shared/story/people'
import {
  class3A,
  class3B,
  english,
  hilltopClass,
  hilltopMaths,
  hilltopTerm,
  hilltopYear,
  lastMichaelmas,
  lastYear,
  maths,
  michaelmas,
  thisYear,
} from '@markbook/shared/story/school-year'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

const absent = '00000000-0000-7000-8000-999999999999'
type Query = Record<string, string>
type Kind = 'studentTerm' | 'studentYear' | 'classTerm' | 'classYear' | 'classSummary' | 'explain'
const ofElan: Record<'studentTerm' | 'studentYear' | 'explain', Query> = {
  studentTerm: { studentId: elan.id, termId: michaelmas.id },
  studentYear: { studentId: elan.id, academicYearId: thisYear.id },
  explain: { studentId: elan.id, termId: michaelmas.id, subjectId: maths.id },
}
const of3B: Record<'classTerm' | 'classYear' | 'classSummary', Query> = {
  classTerm: { studentGroupId: class3B.id, termId: michaelmas.id },
  classYear: { studentGroupId: class3B.id, academicYearId: thisYear.id },
  classSummary: { studentGroupId: class3B.id, termId: michaelmas.id },
}
const ask = (person: PersonName, kind: Kind, query: Query) => st.as[person].calculations[kind].raw({ query })
const statusOf = async (person: PersonName, kind: Kind, query: Query) => (await ask(person, kind, query)).status

describe.each(Object.entries(ofElan) as [keyof typeof ofElan, Query][])('results of a student: %s', (kind, query) => {
  test.each<[PersonName, number]>([
    ['okafor', 200],
    ['byrne', 200],
    ['ada', 200],
    ['quinn', 403],
    ['niamh', 403],
    ['doyle', 403],
    ['nobody', 403],
    ['marker', 404],
    ['markerTeacher', 404],
  ])('%s: %i', async (person, status) => {
    expect(await statusOf(person, kind, query)).toBe(status)
  })

  test('an absent student, term, year or subject and another school’s are 404, byte for byte, before rights are checked', async () => {
    const foreign: Query = {
      studentId: hilltopPupil.id,
      termId: hilltopTerm.id,
      academicYearId: hilltopYear.id,
      subjectId: hilltopMaths.id,
    }
    for (const name of Object.keys(query)) {
      const answers = [
        await ask('okafor', kind, { ...query, [name]: absent }),
        await ask('okafor', kind, { ...query, [name]: foreign[name] as string }),
        await ask('quinn', kind, { ...query, [name]: absent }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    }
  })

  test('only administrators see a student without a class', async () => {
    const ofWanderer = { ...query, studentId: wanderer.id }
    expect([await statusOf('okafor', kind, ofWanderer), await statusOf('byrne', kind, ofWanderer)]).toEqual([200, 403])
  })

  test('400 for a malformed id and for one that is missing', async () => {
    for (const name of Object.keys(query)) {
      const { [name]: _left, ...rest } = query
      expect((await ask('byrne', kind, { ...query, [name]: 'ELAN' })).body).toMatchObject({ statusCode: 400, code: 'malformed_id' })
      expect((await ask('byrne', kind, rest)).body).toMatchObject({ code: 'validation_failed', issues: [{ path: name }] })
    }
  })
})

describe.each(Object.entries(of3B) as [keyof typeof of3B, Query][])('results of a class: %s', (kind, query) => {
  test.each<[PersonName, number]>([
    ['okafor', 200],
    ['byrne', 200],
    ['ada', 403],
    ['quinn', 403],
    ['niamh', 403],
    ['doyle', 403],
    ['marker', 404],
    ['markerTeacher', 403],
  ])('%s: %i', async (person, status) => {
    expect(await statusOf(person, kind, query)).toBe(status)
  })

  test('a class that is absent or another school’s: 404 for an administrator, 403 for a teacher', async () => {
    for (const studentGroupId of [absent, hilltopClass.id]) {
      expect(await statusOf('okafor', kind, { ...query, studentGroupId })).toBe(404)
      expect(await statusOf('byrne', kind, { ...query, studentGroupId })).toBe(403)
    }
  })

  test('a period that is absent or another school’s is 404, one of another year 400', async () => {
    const [name] = Object.keys(query).filter((key) => key !== 'studentGroupId') as [string]
    const others = name === 'termId' ? [absent, hilltopTerm.id, lastMichaelmas.id] : [absent, hilltopYear.id, lastYear.id]
    const statuses = await Promise.all(others.map((id) => statusOf('byrne', kind, { ...query, [name]: id })))
    expect(statuses).toEqual([404, 404, 400])
  })

  test('a request without its class or period is 400, but a class that is not theirs comes first', async () => {
    expect(await statusOf('byrne', kind, {})).toBe(400)
    expect(await statusOf('byrne', kind, { studentGroupId: class3B.id })).toBe(400)
    expect(await statusOf('byrne', kind, { studentGroupId: class3A.id })).toBe(403)
  })
})

test('a teacher sees students of the classes where assigned, and no others', async () => {
  const ofOisin = { studentId: oisin.id, termId: michaelmas.id }
  expect([await statusOf('quinn', 'studentTerm', ofOisin), await statusOf('byrne', 'studentTerm', ofOisin)]).toEqual([200, 403])
})

test('last year’s class gives no rights this year', async () => {
  const { status, body } = await ask('okafor', 'studentTerm', { studentId: elan.id, termId: lastMichaelmas.id })
  expect({ status, body }).toMatchObject({ status: 200, body: { position: null, total_students: 0, subjects: [] } })
  expect(await statusOf('byrne', 'studentTerm', { studentId: elan.id, termId: lastMichaelmas.id })).toBe(403)
})

test('a subject that the student does not take is explained like any other', async () => {
  const { status } = await ask('ada', 'explain', { studentId: elan.id, termId: lastMichaelmas.id, subjectId: english.id })
  expect(status).toBe(403)
  expect(await statusOf('ada', 'explain', { studentId: elan.id, termId: michaelmas.id, subjectId: english.id })).toBe(200)
})
