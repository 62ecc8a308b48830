import { standardMarkCodes } from '@markbook/shared/domain/mark-codes'
import { limits } from '@markbook/shared/limits'
import { aoife, elan, lukasz, mathsExam, mathsQuiz, mei, sean, wanderer, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { class3A, class3B, maths, michaelmas } from '@markbook/shared/story/school-year'
import type { Replicated } from '@markbook/shared/tables/tables'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { withLowerLimit } from '../../testing/lower-limit.ts'
import { signedIn, under } from '../../testing/nodes.ts'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'
import { settle } from '../../tests/scenarios/scenarios.fixtures.ts'
import { csv, xlsx } from './sheets.fixtures.ts'

let st: School
beforeEach(async () => {
  st = await school()
})
afterEach(() => st.close())

/** Rows without time and author of the last change. */
async function rowsOf(...tables: Replicated[]) {
  const all: unknown[] = []
  for (const table of tables) {
    const rows = (await st.rows(table)) as unknown as (Record<string, unknown> & { id: string })[]
    all.push(rows.map(({ updated_at: _, updated_by: __, ...rest }) => rest).sort((a, b) => (a.id < b.id ? -1 : 1)))
  }
  return all
}
const pupil = async (last: string) => (await st.rows('student')).find(({ last_name }) => last_name === last)
const gradeOf = async (assessment: { id: string }, student: { id: string }) =>
  (await st.rows('grade')).find((grade) => grade.assessment_id === assessment.id && grade.student_id === student.id)
const importPupils = async (...lines: string[]) => {
  const { id } = await st.as.okafor.imports.students({ body: csv('last_name,first_name,gender,class,student_number', ...lines) })
  st.clock.advance(1_000)
  return { params: { id: id as string } }
}
const importMarks = async (who: 'ada' | 'byrne' | 'okafor', assessment: { id: string }, ...lines: string[]) => {
  const query = { assessmentId: assessment.id }
  const { id } = await st.as[who].imports.grades({ query, body: csv('student_number,score,remarks', ...lines) })
  st.clock.advance(1_000)
  return { params: { id: id as string } }
}
const dry = { query: { dryRun: 'true' as const } }

describe('POST /api/imports/:id/undo of pupils', () => {
  test('undoes created, changed and placed pupils, and nothing else', async () => {
    const before = await rowsOf('student', 'enrolment')
    const of = await importPupils(
      'Daly,Nóra,female,3B,N-1',
      'Egan,Tom,male,,',
      'Kelly,Oisín,male,3A,SB-007',
      'Gallagher,Rob,other,3A,SB-009',
    )
    expect((await pupil('Gallagher'))?.first_name).toBe('Rob')
    expect(await refused(st, () => st.as.okafor.imports.undo.raw({ ...of, ...dry }))).toMatchObject({ status: 200 })
    expect(await st.as.okafor.imports.undo(of)).toEqual({ removed: 3, restored: 1, kept: 0, rows: [] })
    expect(await rowsOf('student', 'enrolment')).toEqual(before)
  })

  test('a pupil who has got a mark since stays, in the class, and is named', async () => {
    const of = await importPupils('Daly,Nóra,female,3B,N-1', 'Egan,Tom,male,3B,N-2')
    const nora = (await pupil('Daly')) as { id: string }
    await st.as.ada.grades.create({ body: { assessmentId: mathsQuiz.id, studentId: nora.id, score: 12 } })
    const kept = [{ entity: 'student', row_id: nora.id, name: 'Nóra Daly', why: 'results' }]
    expect(await st.as.okafor.imports.undo({ ...of, ...dry })).toEqual({ removed: 1, restored: 0, kept: 1, rows: kept })
    expect(await st.as.okafor.imports.undo(of)).toEqual({ removed: 1, restored: 0, kept: 1, rows: kept })
    expect(await pupil('Egan')).toBeUndefined()
    expect((await st.as.byrne.classes.students({ params: { id: class3B.id } })).map(({ id }) => id)).toContain(nora.id)
  })

  test('a pupil whom somebody has changed, moved or given a subject since stays as they are', async () => {
    const of = await importPupils('Daly,Nóra,female,3B,N-1', 'Egan,Tom,male,3B,N-2', 'Fox,Una,female,3B,N-3', 'Gray,Ian,male,,N-4')
    const [nora, tom, una, ian] = (await Promise.all(['Daly', 'Egan', 'Fox', 'Gray'].map(pupil))) as { id: string }[]
    await st.as.okafor.students.update({ params: { id: nora?.id as string }, body: { dateOfBirth: '2011-03-25' } })
    await st.as.okafor.classes.unenroll({ params: { id: class3B.id, studentId: tom?.id as string } })
    await st.as.okafor.classes.enroll({ params: { id: class3A.id }, body: { studentId: tom?.id as string } })
    await st.as.byrne.classes.assignSubjects({ params: { id: class3B.id }, body: { studentId: una?.id as string, subjectIds: [maths.id] } })
    await st.as.okafor.classes.enroll({ params: { id: class3B.id }, body: { studentId: ian?.id as string } })
    const before = await rowsOf('student', 'enrolment', 'student_subject')
    const { rows, ...counts } = await st.as.okafor.imports.undo(of)
    expect(counts).toEqual({ removed: 0, restored: 0, kept: 4 })
    expect(Object.fromEntries(rows.map(({ name, why }) => [name, why]))).toEqual({
      'Nóra Daly': 'changed',
      'Tom Egan': 'used',
      'Una Fox': 'used',
      'Ian Gray': 'used',
    })
    expect(await rowsOf('student', 'enrolment', 'student_subject')).toEqual(before)
  })

  test('a pupil whom the import found and placed stays in the class once there is a mark', async () => {
    const of = await importPupils('Gallagher,Robin,other,3A,SB-009')
    await st.as.okafor.grades.create({ body: { assessmentId: mathsExam.id, studentId: wanderer.id, score: 40 } })
    expect(await st.as.okafor.imports.undo(of)).toMatchObject({ removed: 0, kept: 1, rows: [{ entity: 'enrolment', why: 'results' }] })
    expect((await st.rows('enrolment')).filter(({ student_id }) => student_id === wanderer.id)).toHaveLength(1)
  })

  test('a pupil who was deleted since is skipped', async () => {
    const of = await importPupils('Daly,Nóra,female,3B,N-1')
    await st.as.okafor.students.remove({ params: { id: (await pupil('Daly'))?.id as string } })
    expect(await st.as.okafor.imports.undo(of)).toEqual({ removed: 0, restored: 0, kept: 0, rows: [] })
  })

  test('403 for a teacher, and nothing is changed', async () => {
    const of = await importPupils('Daly,Nóra,female,3B,N-1')
    for (const who of ['ada', 'byrne'] as const)
      expect(await refused(st, () => st.as[who].imports.undo.raw(of))).toEqual({ status: 403, code: 'admin_only' })
  })
})

describe('POST /api/imports/:id/undo of marks', () => {
  test('undoes recorded and changed marks, including remarks', async () => {
    const before = await rowsOf('grade')
    const of = await importMarks('okafor', mathsExam, 'SB-001,12.5,Tries hard', 'SB-002,71.5,Better', 'SB-003,55,')
    expect(await st.as.okafor.imports.undo(of)).toEqual({ removed: 1, restored: 1, kept: 0, rows: [] })
    expect(await rowsOf('grade')).toEqual(before)
  })

  test('a mark that another teacher has changed since stays, and is named', async () => {
    const of = await importMarks('ada', mathsQuiz, 'SB-003,3,', 'SB-004,4,', 'SB-005,5,')
    const changed = (await gradeOf(mathsQuiz, aoife)) as { id: string }
    await st.as.byrne.grades.update({ params: { id: changed.id }, body: { score: 17 } })
    expect(await st.as.ada.imports.undo(of)).toEqual({
      removed: 0,
      restored: 2,
      kept: 1,
      rows: [{ entity: 'grade', row_id: changed.id, name: 'Aoife Murphy, Quiz 1', why: 'changed' }],
    })
    expect((await gradeOf(mathsQuiz, aoife))?.score).toBe(17)
    expect((await gradeOf(mathsQuiz, sean))?.score).not.toBe(3)
  })

  test('a recorded mark stays if it got a remark, was excluded, or was recorded again by hand', async () => {
    const of = await importMarks('okafor', mathsExam, 'SB-001,12,', 'SB-009,13,')
    const [recorded, other] = (await Promise.all([gradeOf(mathsExam, elan), gradeOf(mathsExam, wanderer)])) as { id: string }[]
    await st.as.okafor.grades.update({ params: { id: recorded?.id as string }, body: { remarks: 'By word of mouth' } })
    await st.as.okafor.grades.remove({ params: { id: other?.id as string } })
    await st.as.okafor.grades.create({ body: { assessmentId: mathsExam.id, studentId: wanderer.id, score: 13 } })
    await withLowerLimit(limits, 'importKeptRows', 1, async () => {
      const counted = await st.as.okafor.imports.undo({ ...of, ...dry })
      expect({ kept: counted.kept, named: counted.rows.length }).toEqual({ kept: 2, named: 1 })
    })
    expect(await st.as.okafor.imports.undo(of)).toMatchObject({ removed: 0, restored: 0, kept: 2 })
    expect(await gradeOf(mathsExam, elan)).toMatchObject({ score: 12, remarks: 'By word of mouth' })
    expect(await gradeOf(mathsExam, wanderer)).toMatchObject({ score: 13 })
  })

  test('a mark that has got a code since stays, beside the score or in its place', async () => {
    const of = await importMarks('ada', mathsQuiz, 'SB-003,3,', 'SB-004,4,')
    await st.as.ada.grades.bulk({
      body: {
        assessmentId: mathsQuiz.id,
        grades: [
          { studentId: sean.id, status: 'late' },
          { studentId: aoife.id, status: 'abs' },
        ],
      },
    })
    expect(await st.as.ada.imports.undo(of)).toMatchObject({ restored: 0, kept: 2 })
    expect(await gradeOf(mathsQuiz, aoife)).toMatchObject({ score: null, status: 'abs' })
  })

  test('a sheet that was downloaded with codes is imported again without a change', async () => {
    const own = { code: 'nil', name: 'Nothing', effect: 'zero' as const, printed: true }
    await st.as.okafor.schools.updateMine({ body: { markCodes: [...standardMarkCodes, own] } })
    const grades = [
      { studentId: sean.id, status: 'nil' },
      { studentId: aoife.id, status: 'abs' },
      { studentId: zoe.id, score: 3, status: 'late' },
    ]
    await st.as.ada.grades.bulk({ body: { assessmentId: mathsQuiz.id, grades } })
    const of = { studentGroupId: class3B.id, termId: michaelmas.id, subjectId: maths.id }
    const before = await rowsOf('grade')
    const body = xlsx(await st.as.ada.imports.gradeSheet({ query: of }))
    const report = await st.as.ada.imports.grades({ query: of, body })
    expect(report).toMatchObject({ errors: 0 })
    expect(report.rows.filter(({ action }) => action !== 'unchanged')).toEqual([])
    expect(await rowsOf('grade')).toEqual(before)
  })

  test('an earlier mark above the present maximum is not written again', async () => {
    const of = await importMarks('ada', mathsQuiz, 'SB-004,1,', 'SB-005,2,')
    await st.as.okafor.grades.bulk({
      body: { assessmentId: mathsQuiz.id, grades: [elan, zoe, sean, mei].map(({ id }) => ({ studentId: id, score: 1 })) },
    })
    const others = (await st.rows('grade')).filter(({ assessment_id, score }) => assessment_id === mathsQuiz.id && (score ?? 0) > 2)
    for (const { id } of others) await st.as.okafor.grades.update({ params: { id }, body: { score: 2 } })
    await st.as.okafor.assessments.update({ params: { id: mathsQuiz.id }, body: { maxScore: 2 } })
    const { rows } = await st.as.ada.imports.undo(of)
    expect(rows.map(({ name, why }) => `${name}: ${why}`).sort()).toEqual([
      'Aoife Murphy, Quiz 1: maximum',
      'Łukasz Wójcik, Quiz 1: maximum',
    ])
  })

  test('another person’s import: an administrator undoes it, the class teacher does not, nor does a teacher who has lost the subject', async () => {
    const of = await importMarks('ada', mathsQuiz, 'SB-003,3,')
    expect(await refused(st, () => st.as.byrne.imports.undo.raw(of))).toMatchObject({ status: 403 })
    const taught = { params: { classId: class3B.id, teacherId: people.ada.id } }
    await st.as.byrne.classes.removeTeacher(taught)
    expect(await refused(st, () => st.as.ada.imports.undo.raw(of))).toEqual({ status: 403, code: 'grades.not_your_subject' })
    expect(await st.as.okafor.imports.undo(of)).toMatchObject({ restored: 1, kept: 0 })
  })

  test('a pupil who has moved to a class of other teachers keeps the mark', async () => {
    const of = await importMarks('ada', mathsQuiz, 'SB-003,3,', 'SB-004,4,')
    await st.as.okafor.classes.unenroll({ params: { id: class3B.id, studentId: sean.id } })
    await st.as.okafor.classes.enroll({ params: { id: class3A.id }, body: { studentId: sean.id } })
    expect(await st.as.ada.imports.undo(of)).toMatchObject({ restored: 1, kept: 1, rows: [{ name: 'Seán Murphy, Quiz 1', why: 'rights' }] })
  })
})

describe('an import that is undone', () => {
  test('is not undone twice, so that rows entered again by hand stay', async () => {
    const of = await importMarks('ada', mathsQuiz, 'SB-005,5,')
    await st.as.ada.imports.undo(of)
    await st.as.ada.grades.bulk({ body: { assessmentId: mathsQuiz.id, grades: [{ studentId: lukasz.id, score: 5 }] } })
    expect(await refused(st, () => st.as.ada.imports.undo.raw(of))).toEqual({ status: 409, code: 'imports.undone' })
  })

  test('can be imported again, and undone again', async () => {
    const first = await importPupils('Daly,Nóra,female,3B,N-1')
    await st.as.okafor.imports.undo(first)
    const again = await importPupils('Daly,Nóra,female,3B,N-1')
    expect(again).not.toEqual(first)
    expect(await st.as.okafor.imports.undo(again)).toMatchObject({ removed: 1, kept: 0 })
  })

  test('can be undone for 30 days', async () => {
    const of = await importPupils('Daly,Nóra,female,3B,N-1')
    st.clock.advance(limits.binRetentionMs - 1_000)
    const okafor = await signedIn(st, 'okafor')
    expect(await okafor.imports.undo({ ...of, ...dry })).toMatchObject({ removed: 1 })
    expect(await okafor.imports.list()).toHaveLength(1)
    st.clock.advance(1_000)
    expect(await refused(st, () => okafor.imports.undo.raw(of))).toEqual({ status: 409, code: 'imports.too_old' })
    expect(await okafor.imports.list()).toEqual([])
  })

  test('two at once: one undoes it, the other is refused', async () => {
    const of = await importMarks('ada', mathsQuiz, 'SB-003,3,', 'SB-004,4,')
    const answers = await Promise.all([st.as.ada.imports.undo.raw(of), st.as.okafor.imports.undo.raw(of)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  })
})

describe('GET /api/imports', () => {
  test('an import of pupils is for administrators alone, also where its author has become a teacher', async () => {
    const as = (role: 'admin' | 'teacher') => st.as.okafor.schools.updateMember({ params: { userId: people.quinn.id }, body: { role } })
    await as('admin')
    const body = csv('last_name,first_name,gender,class,student_number', 'Daly,Nóra,female,3B,N-1')
    const { id } = await st.as.quinn.imports.students({ body })
    expect((await st.as.quinn.imports.list()).map((each) => each.id)).toEqual([id])
    await as('teacher')
    expect(await st.as.quinn.imports.list()).toEqual([])
    expect((await st.as.quinn.imports.undo.raw({ params: { id: id as string } })).status).toBe(403)
  })

  test('lists those that wrote something, newest first: administrators see all, teachers their own', async () => {
    const { params: pupils } = await importPupils('Daly,Nóra,female,3B,N-1', 'Kelly,Oisín,male,3A,SB-007')
    await importPupils('Daly,Nóra,female,3B,N-1')
    const { params: marks } = await importMarks('ada', mathsQuiz, 'SB-003,3,')
    const sheet = { studentGroupId: class3B.id, termId: michaelmas.id, subjectId: maths.id }
    await st.as.byrne.imports.grades({ query: sheet, body: csv('student_number,Quiz 1', 'SB-004,4') })
    st.clock.advance(1_000)
    await st.as.ada.imports.undo({ params: marks })
    const all = await st.as.okafor.imports.list()
    expect(all).toMatchObject([
      { kind: 'grades', student_group_id: class3B.id, term_id: michaelmas.id, subject_id: maths.id, undone_at: null },
      { id: marks.id, kind: 'grades', actor: { id: people.ada.id, first_name: 'Ada' }, undone_at: expect.any(String) },
      { id: pupils.id, kind: 'students', file: 'table.csv', created: 1, updated: 0, student_group_id: null, undone_at: null },
    ])
    expect((await st.as.ada.imports.list()).map(({ id }) => id)).toEqual([marks.id])
    expect(await st.as.quinn.imports.list()).toEqual([])
    expect(Date.parse(all[0]?.undoable_until as string) - Date.parse(all[0]?.at as string)).toBe(limits.binRetentionMs)
  })
})

describe('an import that was made at another server', () => {
  test('is listed here too, undone at either end, and then undone at both', async () => {
    const box = await school({ seed: 'box', story: false, database: 'sqlite' })
    const link = await under(st, box)
    await settle(link)
    const before = (await st.rows('student')).length
    const held = (await box.rows('student')).length
    const head = await signedIn(box, 'okafor')
    const lines = Array.from({ length: 30 }, (_, at) => `Daly,Nóra${at},female,3B,N-${at}`)
    const { id } = await head.imports.students({ body: csv('last_name,first_name,gender,class,student_number', ...lines) })
    const of = { params: { id: id as string } }
    await settle(link)
    expect(await st.rows('student')).toHaveLength(before + 30)
    expect(await st.as.okafor.imports.list()).toMatchObject([{ id, created: 30, undone_at: null }])
    expect(await st.as.okafor.imports.undo(of)).toEqual({ removed: 30, restored: 0, kept: 0, rows: [] })
    await settle(link)
    expect(await box.rows('student')).toHaveLength(held)
    expect((await head.imports.undo.raw(of)).status).toBe(409)
    await box.close()
  })
})
