import { beforeEach, describe, expect, test, vi } from 'vitest'
import { backTo, undoWith } from './with-undo.ts'

let told: { said: string; press?: (() => void) | null }[] = []
beforeEach(() => {
  told = []
})
const saveWithUndo = undoWith({
  done: (what, undo) => void told.push({ said: what, press: undo }),
  undone: (what, redo) => void told.push({ said: `undone: ${what}`, press: redo }),
  failed: (failure) => void told.push({ said: `failed: ${failure}` }),
})
const press = async () => {
  told.at(-1)?.press?.()
  await new Promise((resolve) => setTimeout(resolve, 0))
}

describe('a change with undo', () => {
  test('is undone, redone and undone again, each time the latest result', async () => {
    let made = 0
    const there = new Set<number>()
    await saveWithUndo({
      run: async () => {
        made += 1
        there.add(made)
        return made
      },
      back: async (done) => there.delete(done),
      said: (done) => `made ${done}`,
    })
    expect([...there]).toEqual([1])
    await press()
    expect([[...there], told.at(-1)?.said]).toEqual([[], 'undone: made 1'])
    await press()
    expect([[...there], told.at(-1)?.said]).toEqual([[2], 'made 2'])
    await press()
    expect([...there]).toEqual([])
  })

  test('shows why it could not be undone, and offers no undo where there is none', async () => {
    await saveWithUndo({ run: async () => 1, back: () => Promise.reject('locked'), said: 'saved' })
    await press()
    expect(told.at(-1)).toEqual({ said: 'failed: locked' })
    await saveWithUndo({ run: async () => 1, back: null, said: 'saved' })
    expect(told.at(-1)).toEqual({ said: 'saved', press: null })
  })

  test('shows no message after a failure, and throws it to the caller', async () => {
    await expect(saveWithUndo({ run: () => Promise.reject('no'), back: null, said: 'saved' })).rejects.toBe('no')
    expect(told).toEqual([])
  })
})

test('writes back only the fields that were changed', async () => {
  const write = vi.fn(async (_: object) => {})
  await backTo<{ name: string; codes: string[] }>({ name: 'a', codes: ['x'] }, { name: 'b', codes: ['x'] }, write)?.()
  expect(write.mock.calls).toEqual([[{ name: 'a' }]])
  expect(backTo({ name: 'a' }, { name: 'a' }, write)).toBe(null)
})
