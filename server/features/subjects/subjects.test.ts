import { naturalId } from '@markbook/shared/ids'
import { elan, wanderer } from '@markbook/shared/story/marks'
import {
  class3A,
  class3B,
  english,
  hilltopMaths,
  irish,
  lastMichaelmas,
  maths,
  michaelmas,
  science,
} from '@markbook/shared/story/school-year'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

const absent = '00000000-0000-7000-8000-999999999999'
const codes = async () => (await st.as.niamh.subjects.list()).map((subject) => subject.code)
const unchanged = async (attempt: () => Promise<unknown>) => {
  const before = await st.digest()
  await attempt()
  expect(await st.digest()).toBe(before)
}

describe('GET /api/subjects', () => {
  test('the subjects of the school in order, for any participant', async () => {
    const listed = await st.as.niamh.subjects.list()
    expect(listed.map((subject) => subject.id)).toEqual([maths.id, english.id, irish.id, science.id])
    expect(listed[0]).toEqual({ id: maths.id, name: 'Mathematics', code: 'MA', sort_order: 1, is_active: true })
  })

  test('403 for a person without a school, or suspended there', async () => {
    await expect(st.as.nobody.subjects.list()).rejects.toMatchObject({ status: 403, code: 'no_school' })
    await expect(st.as.doyle.subjects.list()).rejects.toMatchObject({ status: 403, code: 'inactive' })
  })
})

describe('GET /api/subjects/:id', () => {
  test('one subject, for any participant', async () => {
    expect(await st.as.ada.subjects.get({ params: { id: irish.id } })).toMatchObject({ name: 'Irish' })
  })

  test('another school’s subject is answered like one that does not exist', async () => {
    const foreign = await st.as.okafor.subjects.get.raw({ params: { id: hilltopMaths.id } })
    expect(foreign.status).toBe(404)
    expect(foreign.body).toEqual((await st.as.okafor.subjects.get.raw({ params: { id: absent } })).body)
  })
})

describe('GET /api/subjects/:id/classes', () => {
  const named = async (subject: { id: string }, term: { id: string }) =>
    (await st.as.byrne.subjects.classes({ params: { id: subject.id }, query: { termId: term.id } })).map(({ name }) => name)

  const give = (student: { id: string }, group: { id: string }, subjects: readonly { id: string }[]) =>
    st.as.okafor.classes.assignSubjects({
      params: { id: group.id },
      body: { studentId: student.id, subjectIds: subjects.map(({ id }) => id) },
    })

  test('the classes of the term’s year with a pupil without assigned subjects, who takes every one, for a teacher of one of them', async () => {
    expect(await named(irish, michaelmas)).toEqual(['3A', '3B'])
    expect(await named(irish, lastMichaelmas)).toEqual([])
  })

  test('where every pupil has assigned subjects, those where somebody teaches it, and those where it was assigned to a pupil', async () => {
    for (const group of [class3A, class3B]) {
      const pupils = await st.as.okafor.classes.students({ params: { id: group.id } })
      for (const pupil of pupils) await give(pupil, group, [maths])
    }
    expect(await named(irish, michaelmas)).toEqual([])
    expect(await named(english, michaelmas)).toEqual(['3A', '3B'])
    await give(elan, class3B, [irish])
    expect(await named(irish, michaelmas)).toEqual(['3B'])
  })
})

describe('POST /api/subjects', () => {
  test('a new subject comes last and is active', async () => {
    const subject = await st.as.okafor.subjects.create({ body: { name: 'Géographie', code: 'GÉ' } })
    expect(subject).toMatchObject({ name: 'Géographie', code: 'GÉ', sort_order: 5, is_active: true })
    expect(await codes()).toEqual(['MA', 'EN', 'GA', 'SC', 'GÉ'])
    const later = await st.as.okafor.subjects.create({ body: { name: 'Art', code: 'AR' } })
    await st.as.okafor.subjects.remove({ params: { id: subject.id } })
    expect(await st.as.okafor.subjects.create({ body: { name: 'Bee-keeping', code: 'BK' } })).toMatchObject({
      sort_order: later.sort_order + 1,
    })
  })

  test('409 on a code that the school has, and nothing changes', async () => {
    await unchanged(() =>
      expect(st.as.okafor.subjects.create({ body: { name: 'Maths again', code: 'MA' } })).rejects.toMatchObject({
        status: 409,
        code: 'subjects.duplicate_code',
      }),
    )
  })

  test('the neighbour’s codes are free', async () => {
    expect((await st.as.okafor.subjects.create.raw({ body: { name: 'Home Management', code: 'HMA' } })).status).toBe(201)
  })

  test('of ten equal ones at once, one is created and nine are 409', async () => {
    const body = { name: 'Latin', code: 'LA' }
    const answers = await Promise.all(Array.from({ length: 10 }, () => st.as.okafor.subjects.create.raw({ body })))
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array(9).fill(409)])
  })

  test('of ten different ones at once, each has a place of its own', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => st.as.okafor.subjects.create({ body: { name: `Craft ${at}`, code: `CR${at}` } })),
    )
    expect(new Set(answers.map((subject) => subject.sort_order)).size).toBe(10)
  })

  test.each([
    ['no code', { name: 'Art' }],
    ['an empty name', { name: ' ', code: 'AR' }],
    ['a code of 21 characters', { name: 'Art', code: 'x'.repeat(21) }],
    ['a number for a name', { name: 5, code: 'AR' }],
    ['a field that it does not take', { name: 'Art', code: 'AR', sortOrder: 1 }],
  ])('400 for %s, and nothing changes', async (_what, body) => {
    await unchanged(async () => expect((await st.as.okafor.subjects.create.raw({ body })).status).toBe(400))
  })

  test.each(['byrne', 'ada', 'niamh', 'doyle', 'nobody'] as const)('403 for %s, and nothing changes', async (name) => {
    await unchanged(async () => expect((await st.as[name].subjects.create.raw({ body: { name: 'Art', code: 'AR' } })).status).toBe(403))
  })
})

describe('PATCH /api/subjects/:id', () => {
  test('changes the name, the code and whether it is active', async () => {
    const changed = await st.as.okafor.subjects.update({
      params: { id: science.id },
      body: { name: 'General Science', code: 'GS', isActive: false },
    })
    expect(changed).toEqual({ id: science.id, name: 'General Science', code: 'GS', sort_order: 4, is_active: false })
  })

  test('its own code is no duplicate; another’s is 409', async () => {
    expect(await st.as.okafor.subjects.update({ params: { id: science.id }, body: { code: 'GS', name: 'Science' } })).toMatchObject({
      name: 'Science',
    })
    await expect(st.as.okafor.subjects.update({ params: { id: science.id }, body: { code: 'EN' } })).rejects.toMatchObject({ status: 409 })
  })

  test('of two subjects that take one code at once, one is 409', async () => {
    const answers = await Promise.all(
      [irish, science].map(({ id }) => st.as.okafor.subjects.update.raw({ params: { id }, body: { code: 'ONE' } })),
    )
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409])
  })

  test('403 for a teacher, 404 for the neighbour’s', async () => {
    await expect(st.as.byrne.subjects.update({ params: { id: maths.id }, body: { name: 'Sums' } })).rejects.toMatchObject({ status: 403 })
    await expect(st.as.marker.subjects.update({ params: { id: maths.id }, body: { name: 'Sums' } })).rejects.toMatchObject({ status: 404 })
  })
})

describe('PATCH /api/subjects/reorder', () => {
  const ids = async () => (await st.as.okafor.subjects.list()).map((subject) => subject.id)

  test('returns and stores the new order', async () => {
    const reversed = (await ids()).reverse()
    const answered = await st.as.okafor.subjects.reorder({ body: { subjectIds: reversed } })
    expect(answered.map((subject) => subject.id)).toEqual(reversed)
    expect(await ids()).toEqual(reversed)
  })

  test('the same order again writes nothing', async () => {
    const same = await ids()
    await unchanged(() => st.as.okafor.subjects.reorder({ body: { subjectIds: same } }))
  })

  test.each([
    ['one is missing', (all: string[]) => all.slice(1), 'subjects.incomplete_order'],
    ['one is unknown', (all: string[]) => [...all, absent], 'subjects.incomplete_order'],
    ['one is the neighbour’s', (all: string[]) => [...all.slice(1), hilltopMaths.id], 'subjects.incomplete_order'],
    ['one stands twice', (all: string[]) => [...all.slice(1), all[1] ?? ''], 'validation_failed'],
  ])('400 where %s, and nothing changes', async (_what, change, code) => {
    const subjectIds = change(await ids())
    await unchanged(() => expect(st.as.okafor.subjects.reorder({ body: { subjectIds } })).rejects.toMatchObject({ status: 400, code }))
  })

  test('403 for a teacher', async () => {
    await expect(st.as.quinn.subjects.reorder({ body: { subjectIds: await ids() } })).rejects.toMatchObject({ status: 403 })
  })
})

describe('DELETE /api/subjects/:id', () => {
  test('409 while it has assessments, and nothing changes', async () => {
    await unchanged(() =>
      expect(st.as.okafor.subjects.remove({ params: { id: maths.id } })).rejects.toMatchObject({ status: 409, code: 'subjects.in_use' }),
    )
  })

  test('without assessments it is deleted, with its teachers and students', async () => {
    const { id } = await st.as.okafor.subjects.create({ body: { name: 'Drama', code: 'DR' } })
    await st.services.store.write(asSystem(), async (tx) => {
      const place = { school_id: class3B.school_id, student_group_id: class3B.id, subject_id: id }
      await tx.insert('teacher_subject_assignment', [
        {
          ...place,
          id: naturalId('teacher_subject_assignment', class3B.created_by, id, class3B.id),
          user_profile_id: class3B.created_by,
          academic_year_id: class3B.academic_year_id,
        },
      ])
      await tx.insert('student_subject', [
        { ...place, id: naturalId('student_subject', wanderer.id, id, class3B.id), student_id: wanderer.id },
      ])
    })
    expect(await st.as.okafor.subjects.remove({ params: { id } })).toEqual({ message: 'The subject was deleted.' })
    const kept = [...(await st.rows('teacher_subject_assignment')), ...(await st.rows('student_subject'))]
    expect(kept.filter((row) => row.subject_id === id)).toEqual([])
    await expect(st.as.okafor.subjects.get({ params: { id } })).rejects.toMatchObject({ status: 404 })
  })

  test('403 for a teacher, 404 for the neighbour’s', async () => {
    await expect(st.as.ada.subjects.remove({ params: { id: maths.id } })).rejects.toMatchObject({ status: 403 })
    await expect(st.as.okafor.subjects.remove({ params: { id: hilltopMaths.id } })).rejects.toMatchObject({ status: 404 })
  })
})
