import { Failure } from '@markbook/shared/failures'
import { expect, test, vi } from 'vitest'
import { removeMark } from './remove-mark.ts'

const row = { id: 'g1', student_id: 'zoe', score: 12 }
const grades = (answer: () => Promise<unknown> = async () => ({}), rows = [row]) => ({ list: async () => rows, remove: vi.fn(answer) })
const failing = (status: number) => () => Promise.reject(new Failure(status, 'x', 'No.'))

test('takes away the mark that the person knew', async () => {
  const at = grades()
  await removeMark(at, 'quiz', 'zoe', [12])
  expect(at.remove).toHaveBeenCalledWith({ params: { id: 'g1' }, query: { score: '12' } })
})

test('is done where there is none, and where another request of the same person was quicker', async () => {
  const none = grades(undefined, [])
  await removeMark(none, 'quiz', 'zoe', [12])
  expect(none.remove).not.toHaveBeenCalled()
  await removeMark(grades(failing(404)), 'quiz', 'zoe', [12])
})

test('fails where somebody wrote another mark, and where the server refuses', async () => {
  await expect(removeMark(grades(), 'quiz', 'zoe', [11, null])).rejects.toMatchObject({ code: 'grades.changed_meanwhile' })
  for (const status of [0, 403, 409, 500])
    await expect(removeMark(grades(failing(status)), 'quiz', 'zoe', [12])).rejects.toMatchObject({ status })
})
