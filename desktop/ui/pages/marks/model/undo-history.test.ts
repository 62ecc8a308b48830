import { expect, test } from 'vitest'
import { UndoHistory, type UndoStep } from './undo-history.ts'

const step = (after: number): UndoStep => [{ assessmentId: 'quiz', studentId: 'zoe', before: null, after, gradeId: null }]
/** Undoes the newest step. */
const takeDone = (history: UndoHistory) => {
  const newest = history.newestDone()
  if (newest) history.noteUndone(newest, newest)
  return newest
}
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
  expect(takeDone(history)).toEqual(step(2))
  expect(history.takeUndone()).toEqual(step(2))
  history.noteDone(step(2))
  expect(takeDone(history)).toEqual(step(2))
  history.add(step(3))
  expect(history.takeUndone()).toBeUndefined()
  expect(takeDone(history)).toEqual(step(3))
  expect(takeDone(history)).toEqual(step(1))
  expect(takeDone(history)).toBeUndefined()
})

test('what cannot be undone yet stays in its place, under what was entered meanwhile and over a reload', () => {
  const storage = kept()
  const history = new UndoHistory(storage)
  const both = [...step(1), ...step(2)]
  history.add(both)
  expect(history.newestDone()).toBe(both)
  expect(new UndoHistory(storage).newestDone()).toEqual(both)
  history.add(step(3))
  history.noteUndone(both, step(1), step(2))
  const after = new UndoHistory(storage)
  expect([takeDone(after), takeDone(after), takeDone(after)]).toEqual([step(3), step(2), undefined])
})

test('survives a reload', () => {
  const storage = kept()
  const before = new UndoHistory(storage)
  before.add(step(1))
  before.add(step(2))
  takeDone(before)
  const after = new UndoHistory(storage)
  expect(after.takeUndone()).toEqual(step(2))
  expect(takeDone(after)).toEqual(step(1))
  expect(new UndoHistory(storage).newestDone()).toBeUndefined()
})

test('keeps two hundred steps, and not more text than a browser stores', () => {
  const storage = kept()
  const history = new UndoHistory(storage)
  for (let at = 0; at < 250; at += 1) history.add(Array.from({ length: 40 }, () => step(at)).flat())
  expect(storage.text?.length).toBeLessThanOrEqual(200_000)
  expect(new UndoHistory(storage).newestDone()?.[0]).toEqual(step(249)[0])
  let steps = 0
  while (takeDone(history)) steps += 1
  expect(steps).toBe(200)
})

test('stores the steps that can be undone and redone', () => {
  const storage = kept()
  const history = new UndoHistory(storage)
  for (let at = 0; at < 5; at += 1) history.add(step(at))
  for (let at = 0; at < 2; at += 1) takeDone(history)
  const again = new UndoHistory(storage)
  for (const take of [(one: UndoHistory) => one.takeUndone(), takeDone])
    for (let at = 0; at < 4; at += 1) expect(take(again)).toEqual(take(history))
})

test.each(['no json', 'null', '[]', '{"done":7}', '{"done":[[{"assessmentId":1}]],"undone":[7]}'])('stored %s is ignored', (text) => {
  expect(new UndoHistory({ read: () => text, write: () => {} }).newestDone()).toBeUndefined()
})
