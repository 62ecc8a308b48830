import { expect, test } from 'vitest'
import { UndoHistory, type UndoStep } from './undo-history.ts'

const step = (after: number): UndoStep => [{ assessmentId: 'quiz', studentId: 'zoe', before: null, after, gradeId: null }]
const kept = () => {
  const at = {
    text: null as string | null,
    read: () => at.text,
    write: (text: string) => {
      at.text = text
    },
  }
  return at
}

test('undone steps can be redone until something else is entered', () => {
  const history = new UndoHistory()
  history.add(step(1))
  history.add(step(2))
  expect(history.takeDone()).toEqual(step(2))
  history.noteUndone(step(2))
  expect(history.takeUndone()).toEqual(step(2))
  history.noteDone(step(2))
  expect(history.takeDone()).toEqual(step(2))
  history.noteUndone(step(2))
  history.add(step(3))
  expect(history.takeUndone()).toBeUndefined()
  expect(history.takeDone()).toEqual(step(3))
  expect(history.takeDone()).toEqual(step(1))
  expect(history.takeDone()).toBeUndefined()
})

test('survives a reload', () => {
  const storage = kept()
  const before = new UndoHistory(storage)
  before.add(step(1))
  before.add(step(2))
  before.noteUndone(before.takeDone() ?? [])
  const after = new UndoHistory(storage)
  expect(after.takeUndone()).toEqual(step(2))
  expect(after.takeDone()).toEqual(step(1))
  expect(new UndoHistory(storage).takeDone()).toBeUndefined()
})

test('keeps two hundred steps, and not more text than a browser stores', () => {
  const storage = kept()
  const history = new UndoHistory(storage)
  for (let at = 0; at < 250; at += 1) history.add(Array.from({ length: 40 }, () => step(at)).flat())
  expect(storage.text?.length).toBeLessThanOrEqual(200_000)
  expect(new UndoHistory(storage).takeDone()?.[0]).toEqual(step(249)[0])
  let steps = 0
  while (history.takeDone()) steps += 1
  expect(steps).toBe(200)
})

test('stores the steps that can be undone and redone', () => {
  const storage = kept()
  const history = new UndoHistory(storage)
  for (let at = 0; at < 5; at += 1) history.add(step(at))
  for (let at = 0; at < 2; at += 1) history.noteUndone(history.takeDone() ?? [])
  const again = new UndoHistory(storage)
  for (const take of ['takeDone', 'takeUndone'] as const) for (let at = 0; at < 4; at += 1) expect(again[take]()).toEqual(history[take]())
})

test.each(['no json', 'null', '[]', '{"done":7}', '{"done":[[{"assessmentId":1}]],"undone":[7]}'])('stored %s is ignored', (text) => {
  expect(new UndoHistory({ read: () => text, write: () => {} }).takeDone()).toBeUndefined()
})
