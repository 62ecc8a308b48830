import type { MarkValue } from '@markbook/shared/domain/mark-codes'
import { Failure } from '@markbook/shared/failures'
import { expect, test, vi } from 'vitest'
import { removeMark } from './remove-mark.ts'

const row: MarkValue & { id: string; student_id: string } = { id: 'g1', student_id: 'zoe', score: 12, status: null }
const grades = (answer: () => Promise<unknown> = async () => ({}), rows = [row]) => ({ list: async () => rows, remove: vi.fn(answer) })
const failing = (status: number) => () => Promise.reject(new Failure(status, 'x', 'No.'))

test('deletes the mark that the user saw', async () => {
  const at = grades()
  await removeMark(at, 'quiz', 'zoe', [12])
  expect(at.remove).toHaveBeenCalledWith({ params: { id: 'g1' }, query: { score: '12' } })
})

test('deletes a code that the user saw, alone or with a score', async () => {
  const code = grades(undefined, [{ ...row, score: null, status: 'abs' }])
  await removeMark(code, 'quiz', 'zoe', ['abs'])
  expect(code.remove).toHaveBeenCalledWith({ params: { id: 'g1' }, query: { status: 'abs' } })
  const beside = grades(undefined, [{ ...row, status: 'late' }])
  await removeMark(beside, 'quiz', 'zoe', ['12 late'])
  expect(beside.remove).toHaveBeenCalledWith({ params: { id: 'g1' }, query: { score: '12', status: 'late' } })
  await expect(removeMark(beside, 'quiz', 'zoe', [12])).rejects.toMatchObject({ code: 'grades.changed_meanwhile' })
})

test('succeeds where there is no mark, also where another request of the same user just deleted it', async () => {
  const none = grades(undefined, [])
  await removeMark(none, 'quiz', 'zoe', [12])
  expect(none.remove).not.toHaveBeenCalled()
  await removeMark(grades(failing(404)), 'quiz', 'zoe', [12])
})

test('throws where somebody else changed the mark, and where the server refuses', async () => {
  await expect(removeMark(grades(), 'quiz', 'zoe', [11, null])).rejects.toMatchObject({ code: 'grades.changed_meanwhile' })
  for (const status of [0, 403, 409, 500])
    await expect(removeMark(grades(failing(status)), 'quiz', 'zoe', [12])).rejects.toMatchObject({ status })
})
