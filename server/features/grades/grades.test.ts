import { naturalId } from '@markbook/shared/ids'
import {
  aoife,
  elan,
  englishExam,
  fatima,
  hilltopExam,
  hilltopPupil,
  mathsExam,
  mathsHilary,
  mathsHomework,
  mathsQuiz,
  mei,
  oisin,
  scienceProject,
  sean,
  wanderer,
  zoe,
} from '@markbook/shared/story/marks'
import type { PersonName } from '@markbook/shared/story/people'
import { hilltopMaths, hilltopTerm, maths, michaelmas } from '@markbook/shared/story/school-year'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

const absent = '00000000-0000-7000-8000-999999999999'
const idOf = (assessment: { id: string }, student: { id: string }) => naturalId('grade', assessment.id, student.id)
const mark = { assessmentId: mathsExam.id, studentId: elan.id, score: 61.5 }

describe('GET /api/grades', () => {
  test('the grades of an assessment by last name, with names and letters', async () => {
    const listed = await st.as.quinn.grades.list({ query: { assessmentId: mathsQuiz.id } })
    expect(listed.map(({ student }) => student.last_name)).toEqual([
      'Adeyemi',
      'Chen',
      'Haddad',
      'Kelly',
      'Murphy',
      'Murphy',
      'Ó Briain',
      'Wójcik',
    ])
    expect(listed.map(({ student }) => student.first_name).slice(4, 6)).toEqual(['Aoife', 'Seán'])
    expect(listed.find(({ student_id }) => student_id === elan.id)).toMatchObject({
      score: 17.5,
      letter_grade: 'A',
      is_excluded: false,
      remarks: null,
    })
    expect(listed[0]).toMatchObject({ is_excluded: true, exclusion_reason: 'was ill', letter_grade: 'F' })
    expect(listed[0]).not.toHaveProperty('term_id')
  })

  test('letters follow the school’s own scale', async () => {
    const bands = [
      { letter: 'P', minimum: 40, remark: 'Passed' },
      { letter: 'N', minimum: 0, remark: 'Not yet' },
    ]
    const own = await school({ seed: 'scale' })
    await own.as.okafor.gradingScale.put({ body: { passMark: 40, bands } })
    const grade = await own.as.ada.grades.create({ body: mark })
    expect(grade.letter_grade).toBe('P')
    const [listed] = await own.as.ada.grades.list({ query: { assessmentId: mathsQuiz.id } })
    expect(listed?.letter_grade).toBe('N')
    await own.close()
  })

  test('404 for another school’s assessment, 403 for a member', async () => {
    expect((await st.as.okafor.grades.list.raw({ query: { assessmentId: hilltopExam.id } })).status).toBe(404)
    expect((await st.as.niamh.grades.list.raw({ query: { assessmentId: mathsQuiz.id } })).status).toBe(403)
  })
})

describe('GET /api/grades/by-term', () => {
  test('the assessments of a term and subject in order, each with its grades by last name', async () => {
    const listed = await st.as.byrne.grades.byTerm({ query: { termId: michaelmas.id, subjectId: maths.id } })
    expect(listed.map(({ title, max_score, grades }) => [title, max_score, grades.length])).toEqual([
      ['Quiz 1', 20, 8],
      ['Homework', 10, 6],
      ['Christmas exam', 100, 7],
    ])
    expect(listed[1]?.grades.map(({ score }) => score)).toEqual([9, 7, 10, 6.5, 8, 4])
    expect(listed[1]?.grades[0]).toEqual({
      id: idOf(mathsHomework, zoe),
      student_id: zoe.id,
      score: 9,
      remarks: null,
      is_excluded: false,
      student: { id: zoe.id, first_name: 'Zoë', last_name: 'Adeyemi' },
    })
  })

  test('404 for another school’s term or subject', async () => {
    for (const query of [
      { termId: hilltopTerm.id, subjectId: maths.id },
      { termId: michaelmas.id, subjectId: hilltopMaths.id },
    ])
      expect((await st.as.okafor.grades.byTerm.raw({ query })).status).toBe(404)
  })
})

describe('POST /api/grades', () => {
  test('records a grade under the id of its assessment and student', async () => {
    const remarks = 'Zoë said:\n"= not a formula"'
    const created = await st.as.ada.grades.create.raw({ body: { ...mark, remarks } })
    expect(created).toMatchObject({
      status: 201,
      body: { id: idOf(mathsExam, elan), score: 61.5, letter_grade: 'C', remarks, is_excluded: false },
    })
    const stored = (await st.rows('grade')).find(({ id }) => id === idOf(mathsExam, elan))
    expect(stored).toMatchObject({ term_id: michaelmas.id, remarks })
  })

  test('409 where the student has one', async () => {
    expect(await refused(st, () => st.as.ada.grades.create.raw({ body: mark }))).toEqual({ status: 409, code: 'grades.already_exists' })
  })

  test('two equal ones at once: one 201, one 409', async () => {
    const body = { ...mark, assessmentId: mathsHilary.id, studentId: mei.id }
    await st.as.okafor.assessments.update({ params: { id: mathsHilary.id }, body: { maxScore: 100 } })
    const fresh = await st.as.okafor.assessments.create({
      body: { termId: michaelmas.id, subjectId: maths.id, title: 'Twice', assessmentType: 'exam' },
    })
    const replies = await Promise.all([1, 2, 3, 4].map(() => st.as.ada.grades.create.raw({ body: { ...body, assessmentId: fresh.id } })))
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
  })

  test.each([
    ['byrne', 'a class teacher, any subject of the own class', { ...mark, assessmentId: scienceProject.id, score: 20 }, 201],
    ['byrne', 'a student of another class', { ...mark, assessmentId: scienceProject.id, studentId: oisin.id, score: 20 }, 403],
    ['quinn', 'a student of another class', { ...mark, assessmentId: mathsHilary.id, studentId: elan.id }, 403],
    ['quinn', 'a subject teacher, a student of the class', { ...mark, assessmentId: mathsHilary.id, studentId: fatima.id, score: 50 }, 201],
    ['ada', 'another subject', { ...mark, assessmentId: englishExam.id, studentId: fatima.id }, 403],
    ['ada', 'a student of no class', { ...mark, studentId: wanderer.id }, 403],
    ['okafor', 'an administrator, a student of no class', { ...mark, studentId: wanderer.id }, 201],
    ['niamh', 'a member', mark, 403],
    ['doyle', 'an administrator who is not active', mark, 403],
    ['marker', 'the neighbour’s administrator', mark, 404],
    ['okafor', 'another school’s assessment', { ...mark, assessmentId: hilltopExam.id }, 404],
    ['okafor', 'another school’s student', { ...mark, studentId: hilltopPupil.id }, 404],
    ['ada', 'another school’s student', { ...mark, studentId: hilltopPupil.id }, 404],
    ['okafor', 'an absent student', { ...mark, studentId: absent }, 404],
  ] as [PersonName, string, object, number][])('%s, %s', async (name, _what, body, status) => {
    if (status === 201) expect((await st.as[name].grades.create.raw({ body })).status).toBe(201)
    else expect((await refused(st, () => st.as[name].grades.create.raw({ body }))).status).toBe(status)
  })

  test.each([-1, Number.NaN, null, '15', 12.345, 1e308, true, undefined])('400 where the score is %s', async (score) => {
    const body = { ...mark, studentId: oisin.id, assessmentId: mathsHilary.id, score }
    expect(await refused(st, () => st.as.okafor.grades.create.raw({ body }))).toEqual({ status: 400, code: 'validation_failed' })
  })

  test.each(['a\u0000b', 'a\u001bb', 'a\u2028b', '\ud800', 'x'.repeat(2_001)])('400 for remarks %j', async (remarks) => {
    const body = { ...mark, studentId: oisin.id, assessmentId: mathsHilary.id, remarks }
    expect(await refused(st, () => st.as.okafor.grades.create.raw({ body }))).toEqual({ status: 400, code: 'validation_failed' })
  })

  test('400 for a score above the maximum, which itself is a score', async () => {
    const body = { ...mark, assessmentId: mathsHilary.id, studentId: oisin.id }
    const attempt = () => st.as.okafor.grades.create.raw({ body: { ...body, score: 100.01 } })
    expect(await refused(st, attempt)).toEqual({ status: 400, code: 'grades.above_maximum' })
    expect((await attempt()).body).toMatchObject({ issues: [{ path: 'score' }] })
    expect((await st.as.okafor.grades.create.raw({ body: { ...body, score: 100 } })).status).toBe(201)
  })

  test('400 for a student who is not in the class of the assessment', async () => {
    const body = { ...mark, assessmentId: mathsHomework.id, studentId: oisin.id, score: 1 }
    for (const name of ['okafor', 'quinn'] as const)
      expect(await refused(st, () => st.as[name].grades.create.raw({ body }))).toEqual({ status: 400, code: 'grades.outside_class' })
  })

  test('malformed ids are 400 before access is checked', async () => {
    const body = { ...mark, assessmentId: hilltopExam.id, studentId: 'ELAN' }
    expect(await refused(st, () => st.as.ada.grades.create.raw({ body }))).toEqual({ status: 400, code: 'malformed_id' })
  })
})

describe('PATCH /api/grades/:id', () => {
  const own = { params: { id: idOf(mathsExam, zoe) } }

  test('changes score or remarks and keeps the other', async () => {
    expect(await st.as.ada.grades.update({ ...own, body: { remarks: 'Careful work.' } })).toMatchObject({
      score: 71,
      remarks: 'Careful work.',
      letter_grade: 'B',
    })
    expect(await st.as.byrne.grades.update({ ...own, body: { score: 90 } })).toMatchObject({
      score: 90,
      remarks: 'Careful work.',
      letter_grade: 'A+',
    })
    expect(await st.as.byrne.grades.update({ ...own, body: { remarks: null } })).toMatchObject({ score: 90, remarks: null })
  })

  test('equal values write nothing', async () => {
    const before = await st.digest()
    await st.as.ada.grades.update({ ...own, body: { score: 90, remarks: null } })
    await st.as.ada.grades.update({ ...own, body: {} })
    expect(await st.digest()).toBe(before)
  })

  test('403, 404 and 400', async () => {
    const update = (name: PersonName, id: string, body: object) =>
      refused(st, () => st.as[name].grades.update.raw({ params: { id }, body }))
    expect(await update('quinn', own.params.id, { score: 1 })).toEqual({ status: 403, code: 'grades.not_your_subject' })
    expect(await update('ada', idOf(englishExam, zoe), { score: 1 })).toMatchObject({ status: 403 })
    expect(await update('okafor', idOf(hilltopExam, hilltopPupil), { score: 1 })).toMatchObject({ status: 404 })
    expect(await update('ada', absent, { score: 1 })).toMatchObject({ status: 404 })
    expect(await update('ada', own.params.id, { score: 100.5 })).toEqual({ status: 400, code: 'grades.above_maximum' })
    expect(await update('ada', own.params.id, { score: null })).toMatchObject({ status: 400 })
    expect(await update('ada', own.params.id, { studentId: sean.id })).toMatchObject({ status: 400 })
  })
})

describe('PATCH /api/grades/:id/exclude', () => {
  const own = { params: { id: idOf(mathsExam, aoife) } }

  test('excludes it with or without a reason, and includes it again', async () => {
    expect(await st.as.ada.grades.exclude({ ...own, body: { isExcluded: true } })).toMatchObject({
      is_excluded: true,
      exclusion_reason: null,
      score: 96,
    })
    expect(await st.as.ada.grades.exclude({ ...own, body: { isExcluded: true, exclusionReason: 'ill' } })).toMatchObject({
      exclusion_reason: 'ill',
    })
    expect(await st.as.ada.grades.exclude({ ...own, body: { isExcluded: true } })).toMatchObject({ exclusion_reason: 'ill' })
    expect(await st.as.ada.grades.exclude({ ...own, body: { isExcluded: true, exclusionReason: null } })).toMatchObject({
      is_excluded: true,
      exclusion_reason: null,
    })
    expect(await st.as.ada.grades.exclude({ ...own, body: { isExcluded: false } })).toMatchObject({
      is_excluded: false,
      exclusion_reason: null,
    })
  })

  test('403 for another’s student, 404 for another school’s', async () => {
    const body = { isExcluded: true }
    expect(await refused(st, () => st.as.quinn.grades.exclude.raw({ ...own, body }))).toMatchObject({ status: 403 })
    expect(
      await refused(st, () => st.as.okafor.grades.exclude.raw({ params: { id: idOf(hilltopExam, hilltopPupil) }, body })),
    ).toMatchObject({ status: 404 })
  })
})

describe('DELETE /api/grades/:id', () => {
  const removal = () => ({ params: { id: idOf(mathsHilary, sean) } })
  const stored = async () =>
    (await st.as.okafor.grades.list({ query: { assessmentId: mathsHilary.id } })).find(({ student_id }) => student_id === sean.id)

  test('deletes the grade, the history names the actor, and undo restores it with its remarks', async () => {
    await st.as.ada.grades.update({ ...removal(), body: { remarks: 'Well done.' } })
    const before = await stored()
    expect(await st.as.ada.grades.remove(removal())).toEqual({ message: 'The grade was removed.' })
    expect(await stored()).toBeUndefined()
    const [entry] = await st.as.ada.history.list({ query: { entity: 'grade', id: removal().params.id } })
    expect(entry).toMatchObject({
      action: 'delete',
      actor: { first_name: 'Ada' },
      changes: { remarks: { before: 'Well done.', after: null } },
    })
    await st.as.ada.history.undo({ params: { id: entry?.id ?? '' } })
    expect(await stored()).toMatchObject({ id: before?.id, score: before?.score, remarks: 'Well done.' })
  })

  test('with a score, deletes the grade only if it has that score', async () => {
    const score = (await stored())?.score ?? Number.NaN
    await st.as.byrne.grades.update({ ...removal(), body: { score: score - 1 } })
    const again = () => st.as.ada.grades.remove.raw({ ...removal(), query: { score: String(score) } })
    expect(await refused(st, again)).toEqual({ status: 409, code: 'grades.changed_meanwhile' })
    for (const text of ['', 'x', '1e3', '-1', '12,5', '1.234'])
      expect(await refused(st, () => st.as.ada.grades.remove.raw({ ...removal(), query: { score: text } }))).toMatchObject({ status: 400 })
    await st.as.ada.grades.remove({ ...removal(), query: { score: String(score - 1) } })
    expect(await refused(st, () => st.as.ada.grades.remove.raw(removal()))).toMatchObject({ status: 404 })
    await st.as.ada.grades.create({ body: { assessmentId: mathsHilary.id, studentId: sean.id, score } })
    expect(await stored()).toMatchObject({ id: removal().params.id, score, remarks: null })
  })

  test('403 for another’s student, 404 for another school’s', async () => {
    expect(await refused(st, () => st.as.quinn.grades.remove.raw(removal()))).toEqual({ status: 403, code: 'grades.not_your_subject' })
    expect(await refused(st, () => st.as.ada.grades.remove.raw({ params: { id: idOf(hilltopExam, hilltopPupil) } }))).toMatchObject({
      status: 404,
    })
  })
})
