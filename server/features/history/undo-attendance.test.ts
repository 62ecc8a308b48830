import { naturalId } from '@markbook/shared/ids'
import { mei, zoe } from '@markbook/shared/story/marks'
import { class3B } from '@markbook/shared/story/school-year'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeEach(async () => {
  await st?.close()
  st = await school()
})
afterAll(() => st.close())

const day = '2025-11-17'
type Code = 'present' | 'absent' | 'late' | 'excused'
const say = (student: { id: string }, said: { code?: Code; note?: string | null }) =>
  st.as.ada.attendance.take({ params: { classId: class3B.id }, body: { day, lesson: 2, marks: [{ studentId: student.id, ...said }] } })
const markOf = (student: { id: string }) => naturalId('attendance_mark', class3B.id, student.id, day, '2')
const lastOf = async (id: string, entity: 'attendance_mark' | 'attendance_register' = 'attendance_mark') => {
  const [last] = await st.as.okafor.history.list({ query: { entity, id } })
  return { params: { id: last?.id ?? '' } }
}
const stored = async (id: string) => (await st.rows('attendance_mark')).find((row) => row.id === id)

describe('POST /api/history/:id/undo of an attendance mark', () => {
  test('the earlier code comes back and the note stays; the note comes back and the code stays; an undo can be undone', async () => {
    await say(mei, { code: 'late', note: 'the bus' })
    await say(mei, { code: 'excused' })
    const undone = await st.as.byrne.history.undo(await lastOf(markOf(mei)))
    expect(undone).toMatchObject({ action: 'update', changes: { code: { before: 'excused', after: 'late' } } })
    expect(await stored(markOf(mei))).toMatchObject({ code: 'late', note: 'the bus' })
    await say(mei, { note: null })
    await st.as.ada.history.undo(await lastOf(markOf(mei)))
    expect(await stored(markOf(mei))).toMatchObject({ code: 'late', note: 'the bus' })
    await st.as.ada.history.undo({ params: { id: undone.id } })
    expect(await stored(markOf(mei))).toMatchObject({ code: 'excused', note: 'the bus' })
  })

  test('undoing a pupil’s first mark makes it present, without its note, and keeps the row', async () => {
    await say(mei, { code: 'absent', note: 'ill' })
    const undone = await st.as.ada.history.undo(await lastOf(markOf(mei)))
    expect(undone).toMatchObject({ action: 'update', changes: { code: { before: 'absent', after: 'present' } } })
    expect(await stored(markOf(mei))).toMatchObject({ code: 'present', note: null })
    await st.as.ada.history.undo({ params: { id: undone.id } })
    expect(await stored(markOf(mei))).toMatchObject({ code: 'absent', note: 'ill' })
  })

  test('409 where it was changed since, also for a first mark', async () => {
    await say(mei, { code: 'late' })
    const first = await lastOf(markOf(mei))
    await say(mei, { code: 'absent' })
    const second = await lastOf(markOf(mei))
    await say(mei, { code: 'excused' })
    for (const change of [first, second])
      expect(await refused(st, () => st.as.ada.history.undo.raw(change))).toEqual({ status: 409, code: 'history.changed_since' })
  })

  test('403 for who does not teach in the class', async () => {
    await say(mei, { code: 'late' })
    const change = await lastOf(markOf(mei))
    for (const who of ['quinn', 'niamh'] as const)
      expect(await refused(st, () => st.as[who].history.undo.raw(change))).toMatchObject({ status: 403 })
  })

  test('409 for a pupil who has left the class, with the reason', async () => {
    await say(zoe, { code: 'late' })
    const change = await lastOf(markOf(zoe))
    await st.as.byrne.classes.unenroll({ params: { id: class3B.id, studentId: zoe.id } })
    const attempt = () => st.as.ada.history.undo.raw(change)
    expect(await refused(st, attempt)).toEqual({ status: 409, code: 'history.cannot_undo' })
  })

  test('409 for the register itself', async () => {
    await say(mei, { code: 'late' })
    const register = await lastOf(naturalId('attendance_register', class3B.id, day, '2'), 'attendance_register')
    expect(await refused(st, () => st.as.okafor.history.undo.raw(register))).toEqual({ status: 409, code: 'history.cannot_undo' })
  })

  test('two undoes of one change at once: one is done', async () => {
    await say(mei, { code: 'late' })
    await say(mei, { code: 'absent' })
    const change = await lastOf(markOf(mei))
    const replies = await Promise.all([st.as.ada, st.as.byrne, st.as.okafor].map((api) => api.history.undo.raw(change)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  })
})
