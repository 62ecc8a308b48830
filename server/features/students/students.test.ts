import { naturalId } from '@markbook/shared/ids'
import { elan, hilltopPupil, mei, pupilsOf3A, sean, wanderer } from '@markbook/shared/story/marks'
import { class3A, class3B, english, hilltopClass, maths } from '@markbook/shared/story/school-year'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { meanwhile } from '../../testing/meanwhile.ts'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

const absent = '00000000-0000-7000-8000-999999999999'
const newcomer = { firstName: 'Nóra', lastName: 'Byrne', gender: 'female' } as const
const namesOf = (list: readonly { first_name: string; last_name: string }[]) => list.map((one) => `${one.first_name} ${one.last_name}`)
const found = async (query: Record<string, unknown>) => namesOf(await st.as.okafor.students.list({ query }))

describe('GET /api/students', () => {
  test('the students of the school by last name, first name, whatever their accents', async () => {
    const listed = await st.as.ada.students.list()
    expect(namesOf(listed)).toEqual([
      'Zoë Adeyemi',
      'Mei Chen',
      'Robin Gallagher',
      'Fatima Haddad',
      'Oisín Kelly',
      'Aoife Murphy',
      'Seán Murphy',
      'Élan Ó Briain',
      'Łukasz Wójcik',
    ])
    expect(listed[0]).not.toHaveProperty('sort_key')
    expect(listed[0]).not.toHaveProperty('school_id')
  })

  test.each([
    ['elan', ['Élan Ó Briain']],
    ['ÉLAN', ['Élan Ó Briain']],
    ['lukasz w', ['Łukasz Wójcik']],
    ['murphy, sean', ['Seán Murphy']],
    ['O BRIAIN', ['Élan Ó Briain']],
    ['  mei  ', ['Mei Chen']],
    ['nobody of that name', []],
    ['%', []],
    ['_', []],
    ['\\', []],
    ["'", []],
    ["' or 1=1 --", []],
  ])('search %j finds %j', async (search, names) => {
    expect(await found({ search })).toEqual(names)
  })

  test.each(['SB-004', 'sb-004', '-004'])('search %j finds a student by the number', async (search) => {
    expect(await found({ search })).toEqual(['Aoife Murphy'])
  })

  test.each(['Ж9', 'É,7', 'N  1', 'O’1'])(
    'a number with signs other than plain letters is found as it is written: %s',
    async (studentNumber) => {
      const { id } = await st.as.ada.students.create({ body: { ...newcomer, studentNumber } })
      expect(await found({ search: studentNumber })).toEqual(['Nóra Byrne'])
      await st.as.okafor.students.remove({ params: { id } })
    },
  )

  test.each(['احمد', 'أحمد', 'ايمان أحمد'])('a name is found with or without the hamza of its letters: %s', async (search) => {
    const { id } = await st.as.ada.students.create({ body: { ...newcomer, firstName: 'أحمد', lastName: 'إيمان' } })
    expect(await found({ search })).toEqual(['أحمد إيمان'])
    await st.as.okafor.students.remove({ params: { id } })
  })

  test('an empty search finds everybody', async () => {
    expect(await found({ search: '' })).toHaveLength(9)
  })

  test.each(['100% Fun', 'under_score', 'back\\slash', "O'Neill", 'Naïve'])(
    'a name that holds %j is found by it and alone',
    async (lastName) => {
      const { id } = await st.as.okafor.students.create({ body: { ...newcomer, lastName } })
      const sign = lastName.match(/[%_\\']/)?.[0] ?? 'naive'
      expect(await found({ search: sign })).toEqual([`Nóra ${lastName}`])
      await st.as.okafor.students.remove({ params: { id } })
    },
  )

  test('isActive chooses those who are, or are not, active', async () => {
    await st.as.byrne.students.update({ params: { id: wanderer.id }, body: { isActive: false } })
    expect(await found({ isActive: false })).toEqual(['Robin Gallagher'])
    expect(await found({ isActive: true })).toHaveLength(8)
    expect(await found({ isActive: false, search: 'mei' })).toEqual([])
    await st.as.byrne.students.update({ params: { id: wanderer.id }, body: { isActive: true } })
  })

  test('classId chooses the students of a class, together with the other filters', async () => {
    expect(await found({ classId: class3A.id })).toEqual(['Fatima Haddad', 'Oisín Kelly'])
    expect(await found({ classId: class3A.id, search: 'oisin', isActive: true })).toEqual(['Oisín Kelly'])
    expect(await found({ classId: class3A.id, isActive: false })).toEqual([])
    expect(namesOf(await st.as.ada.students.list({ query: { classId: class3B.id } }))).toHaveLength(6)
  })

  test('404 for another school’s class, as for one that does not exist', async () => {
    const foreign = await st.as.quinn.students.list.raw({ query: { classId: hilltopClass.id } })
    const missing = await st.as.quinn.students.list.raw({ query: { classId: absent } })
    expect(foreign.status).toBe(404)
    expect(foreign.body).toEqual(missing.body)
  })

  test('403 for the class of other teachers, whose students only they may list', async () => {
    expect(await st.as.ada.students.list.raw({ query: { classId: class3A.id } })).toMatchObject({ status: 403 })
  })

  test('400 where a filter is not what it should be', async () => {
    for (const query of [{ isActive: 'yes' }, { classId: 'ABC' }, { search: 'x'.repeat(201) }, { limit: 501 }]) {
      expect(await st.as.okafor.students.list.raw({ query })).toMatchObject({ status: 400 })
    }
  })

  test('403 for a member, for an account that is switched off and for somebody without a school', async () => {
    expect(await st.as.niamh.students.list.raw()).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    expect(await st.as.doyle.students.list.raw()).toMatchObject({ status: 403, body: { code: 'inactive' } })
    expect(await st.as.tomas.students.list.raw()).toMatchObject({ status: 403, body: { code: 'no_school' } })
  })

  test('the neighbour sees only its own', async () => {
    expect(namesOf(await st.as.markerTeacher.students.list())).toEqual(['Hilltop-Marker Hilltop-Pupil'])
  })
})

describe('GET /api/students/:id', () => {
  test('one student, for any teacher of the school; the gender for the class teacher', async () => {
    const params = { id: mei.id }
    expect(await st.as.quinn.students.get({ params })).toMatchObject({ first_name: 'Mei', date_of_birth: null, gender: null })
    expect(await st.as.byrne.students.get({ params })).toMatchObject({ first_name: 'Mei', date_of_birth: null, gender: 'other' })
  })

  test('another school’s student is answered like one that does not exist', async () => {
    const foreign = await st.as.okafor.students.get.raw({ params: { id: hilltopPupil.id } })
    expect(foreign.status).toBe(404)
    expect(foreign.body).toEqual((await st.as.okafor.students.get.raw({ params: { id: absent } })).body)
  })
})

describe('POST /api/students', () => {
  test('any teacher creates a student, active, with nothing but names and gender', async () => {
    const student = await st.as.ada.students.create({ body: newcomer })
    expect(student).toMatchObject({ first_name: 'Nóra', is_active: true, date_of_birth: null, enrollment_date: null, student_number: null })
    expect(await found({ search: 'nora byrne' })).toEqual(['Nóra Byrne'])
    await st.as.okafor.students.remove({ params: { id: student.id } })
  })

  test('409 where another student has the number, but not across schools', async () => {
    const taken = { ...newcomer, studentNumber: elan.student_number }
    expect(await refused(st, () => st.as.byrne.students.create.raw({ body: taken }))).toEqual({
      status: 409,
      code: 'students.duplicate_number',
    })
    const elsewhere = await st.as.marker.students.create({ body: taken })
    await st.as.marker.students.remove({ params: { id: elsewhere.id } })
  })

  test('one number given twice at once is given once', async () => {
    const body = { ...newcomer, studentNumber: 'AT-ONCE' }
    const replies = await Promise.all(['byrne', 'ada', 'quinn', 'okafor'].map((who) => st.as[who as 'byrne'].students.create.raw({ body })))
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
    for (const { status, body } of replies) if (status === 409) expect(body).toMatchObject({ code: 'students.duplicate_number' })
    const created = replies.find(({ status }) => status === 201)?.body as { id: string }
    await st.as.okafor.students.remove({ params: { id: created.id } })
  })

  test.each([
    { firstName: '' },
    { lastName: 'x'.repeat(201) },
    { lastName: 'line\nbreak' },
    { gender: 'unknown' },
    { gender: undefined },
    { dateOfBirth: '2011-02-30' },
    { enrollmentDate: 20230901 },
    { studentNumber: 'x'.repeat(41) },
    { isActive: true },
    { schoolId: hilltopPupil.school_id },
  ])('400 for %j, and nothing changes', async (wrong) => {
    const reply = await refused(st, () => st.as.okafor.students.create.raw({ body: { ...newcomer, ...wrong } }))
    expect(reply).toEqual({ status: 400, code: 'validation_failed' })
  })

  test('403 for a member', async () => {
    expect(await refused(st, () => st.as.niamh.students.create.raw({ body: newcomer }))).toEqual({ status: 403, code: 'forbidden' })
  })
})

describe('PATCH /api/students/:id', () => {
  test('changes what is named, and finds and orders by the new name', async () => {
    const { id } = await st.as.okafor.students.create({ body: { ...newcomer, dateOfBirth: '2011-05-05' } })
    const changed = await st.as.ada.students.update({ params: { id }, body: { lastName: 'Ábel', dateOfBirth: null, studentNumber: 'N-1' } })
    expect(changed).toMatchObject({ first_name: 'Nóra', last_name: 'Ábel', date_of_birth: null, student_number: 'N-1' })
    expect((await found({}))[0]).toBe('Nóra Ábel')
    expect(await found({ search: 'byrne' })).toEqual([])
    await st.as.okafor.students.remove({ params: { id } })
  })

  test('the own number again, or nothing at all, changes nothing', async () => {
    const before = await st.digest()
    await st.as.byrne.students.update({ params: { id: elan.id }, body: { studentNumber: elan.student_number } })
    expect(await st.as.byrne.students.update({ params: { id: elan.id }, body: {} })).toMatchObject({ id: elan.id })
    expect(await st.digest()).toBe(before)
  })

  test('409 where another student has the number', async () => {
    const reply = await refused(st, () =>
      st.as.okafor.students.update.raw({ params: { id: mei.id }, body: { studentNumber: elan.student_number } }),
    )
    expect(reply).toEqual({ status: 409, code: 'students.duplicate_number' })
  })

  test('one number given to two students at once is given to one', async () => {
    const body = { studentNumber: 'TWO-AT-ONCE' }
    const replies = await Promise.all([mei, sean].map(({ id }) => st.as.okafor.students.update.raw({ params: { id }, body })))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
    for (const { id, student_number: studentNumber } of [mei, sean])
      await st.as.okafor.students.update({ params: { id }, body: { studentNumber } })
  })

  test('404 for another school’s student, before the body is checked', async () => {
    const reply = await refused(st, () => st.as.okafor.students.update.raw({ params: { id: hilltopPupil.id }, body: { gender: 1 } }))
    expect(reply).toEqual({ status: 404, code: 'not_found' })
  })

  test('400 for a bad value and for a field that no student has', async () => {
    for (const body of [{ isActive: 'false' }, { firstName: null }, { first_name: 'X' }]) {
      expect(await refused(st, () => st.as.okafor.students.update.raw({ params: { id: mei.id }, body }))).toMatchObject({ status: 400 })
    }
  })

  test('403 for a member', async () => {
    expect(await refused(st, () => st.as.niamh.students.update.raw({ params: { id: mei.id }, body: {} }))).toMatchObject({ status: 403 })
  })
})

describe('DELETE /api/students/:id', () => {
  test('403 for a teacher, even the class teacher', async () => {
    expect(await refused(st, () => st.as.byrne.students.remove.raw({ params: { id: wanderer.id } }))).toEqual({
      status: 403,
      code: 'admin_only',
    })
  })

  test('409 while the student has grades, and nothing is deleted', async () => {
    const [withGrades] = pupilsOf3A
    const reply = await refused(st, () => st.as.okafor.students.remove.raw({ params: { id: withGrades?.id ?? '' } }))
    expect(reply).toEqual({ status: 409, code: 'students.has_results' })
  })

  test('409 while the student has a report book and no grade', async () => {
    const { id } = await st.as.okafor.students.create({ body: newcomer })
    const [book] = await st.rows('report_book')
    await st.services.store.write(asSystem(), async (tx) => {
      await tx.insert('report_book', [
        { ...book!, id: naturalId('report_book', id, book!.term_id, 'term'), student_id: id, status: 'draft' },
      ])
    })
    expect(await refused(st, () => st.as.okafor.students.remove.raw({ params: { id } }))).toEqual({
      status: 409,
      code: 'students.has_results',
    })
  })

  test('409 where a mark is saved for the student meanwhile', async () => {
    const { id } = await st.as.okafor.students.create({ body: newcomer })
    const [grade] = await st.rows('grade')
    const mark = { ...grade!, id: naturalId('grade', grade!.assessment_id, id), student_id: id }
    const reply = await meanwhile(
      st,
      (tx) => tx.insert('grade', [mark]),
      () => st.as.okafor.students.remove.raw({ params: { id } }),
    )
    expect(reply).toMatchObject({ status: 409, body: { code: 'students.has_results' } })
  })

  test('404 for another school’s student', async () => {
    expect(await refused(st, () => st.as.okafor.students.remove.raw({ params: { id: hilltopPupil.id } }))).toMatchObject({ status: 404 })
  })

  test('takes the enrolment and the subjects with it, one tombstone each', async () => {
    const enrolment = await st.as.okafor.classes.enroll({ params: { id: class3B.id }, body: { studentId: wanderer.id } })
    const given = await st.as.okafor.classes.assignSubjects({
      params: { id: class3B.id },
      body: { studentId: wanderer.id, subjectIds: [maths.id, english.id] },
    })
    expect(await st.as.okafor.students.remove({ params: { id: wanderer.id } })).toHaveProperty('message')
    expect((await st.rows('enrolment')).some((row) => row.student_id === wanderer.id)).toBe(false)
    expect((await st.rows('student_subject')).some((row) => row.student_id === wanderer.id)).toBe(false)
    const gone = await st.services.store.read(asSystem(), async ({ db, t }) =>
      (await db.select().from(t.sync_row)).filter((row) => row.deleted),
    )
    const ids = gone.map((row) => row.row_id)
    expect(ids).toEqual(expect.arrayContaining([wanderer.id, enrolment.id, ...given.map(({ id }) => id)]))
    expect(await st.as.okafor.students.get.raw({ params: { id: wanderer.id } })).toMatchObject({ status: 404 })
  })
})
