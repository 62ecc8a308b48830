import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Autosave } from './autosave.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const start = { remark: '', conduct: 'Good' }

describe('texts that save themselves', () => {
  test('once, a moment after the last key, with only what changed', async () => {
    const save = vi.fn(async () => {})
    const row = new Autosave<'remark' | 'conduct'>(start, { save })
    row.edit('remark', 'A')
    await vi.advanceTimersByTimeAsync(500)
    row.edit('remark', 'A steady term.')
    expect(row.getSnapshot().state).toBe('waiting')
    await vi.advanceTimersByTimeAsync(899)
    expect(save).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(save.mock.calls).toEqual([[{ remark: 'A steady term.' }]])
    expect(row.getSnapshot().state).toBe('saved')
    expect(row.isUnsaved).toBe(false)
  })

  test('what is typed while a request is under way goes with the next', async () => {
    const ends: (() => void)[] = []
    const save = vi.fn((_: object) => new Promise<void>((resolve) => ends.push(resolve)))
    const row = new Autosave<'remark' | 'conduct'>(start, { save })
    row.edit('remark', 'one')
    void row.flush()
    row.edit('remark', 'two')
    await vi.advanceTimersByTimeAsync(5_000)
    expect(save).toHaveBeenCalledTimes(1)
    ends[0]?.()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(save.mock.calls).toEqual([[{ remark: 'one' }], [{ remark: 'two' }]])
    ends[1]?.()
    await vi.advanceTimersByTimeAsync(0)
    expect(row.getSnapshot()).toMatchObject({ state: 'saved', values: { remark: 'two' } })
  })

  test('what was changed back is not sent', async () => {
    const save = vi.fn(async () => {})
    const row = new Autosave<'remark' | 'conduct'>(start, { save })
    row.edit('conduct', 'Bad')
    row.edit('conduct', 'Good')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(save).not.toHaveBeenCalled()
    expect(row.getSnapshot().state).toBe('same')
  })

  test('a refusal stays in sight with what was typed; nobody answering is tried again by itself', async () => {
    let answer: 'nobody' | 'ok' = 'nobody'
    const save = vi.fn(async () => {
      if (answer === 'nobody') throw new Error('nobody')
    })
    const row = new Autosave<'remark' | 'conduct'>(start, { save, isTemporary: () => true })
    row.edit('remark', 'kept')
    await vi.advanceTimersByTimeAsync(900)
    expect(row.getSnapshot()).toMatchObject({ state: 'failed', values: { remark: 'kept' } })
    expect(row.isUnsaved).toBe(true)
    answer = 'ok'
    await vi.advanceTimersByTimeAsync(5_000)
    expect(row.getSnapshot().state).toBe('saved')
  })

  test('what cannot be meant is not sent, and the rest of the row is', async () => {
    const save = vi.fn(async () => {})
    const row = new Autosave<'remark' | 'conduct'>(start, { save, isWrong: (field, value) => field === 'conduct' && value === '?' })
    row.edit('conduct', '?')
    row.edit('remark', 'fine')
    await vi.advanceTimersByTimeAsync(900)
    expect(save.mock.calls).toEqual([[{ remark: 'fine' }]])
    expect(row.getSnapshot().state).toBe('wrong')
    row.edit('conduct', 'Good')
    await vi.advanceTimersByTimeAsync(900)
    expect(row.getSnapshot().state).toBe('same')
  })

  test('news reach a field that nobody changed and nobody is in', () => {
    const row = new Autosave<'remark' | 'conduct'>(start, { save: async () => {} })
    row.edit('remark', 'mine')
    row.mergeStored({ remark: 'theirs', conduct: 'Very good' })
    expect(row.getSnapshot().values).toEqual({ remark: 'mine', conduct: 'Very good' })
    row.setFocusedField('conduct')
    row.mergeStored({ remark: 'theirs', conduct: 'Poor' })
    expect(row.getSnapshot().values.conduct).toBe('Very good')
  })

  test('a value of before the save does not replace the saved one, and the next value from the server does', async () => {
    const row = new Autosave<'remark' | 'conduct'>(start, { save: async () => {} })
    row.edit('remark', 'mine')
    await row.flush()
    row.mergeStored({ ...start })
    expect(row.getSnapshot().values.remark).toBe('mine')
    row.mergeStored({ ...start, remark: 'mine' })
    row.mergeStored({ ...start, remark: 'theirs' })
    expect(row.getSnapshot().values.remark).toBe('theirs')
    row.mergeStored({ ...start })
    expect(row.getSnapshot().values.remark).toBe('')
  })

  test('whatever is typed and whenever a save fails, in the end the server has what is seen', async () => {
    const steps = fc.array(
      fc.oneof(
        fc.record({ field: fc.constantFrom('remark' as const, 'conduct' as const), value: fc.string({ maxLength: 3 }) }),
        fc.record({ ms: fc.integer({ min: 0, max: 2_000 }) }),
        fc.record({ fails: fc.boolean() }),
      ),
      { maxLength: 20 },
    )
    await fc.assert(
      fc.asyncProperty(steps, async (done) => {
        let fails = false
        let stored: Record<string, string> = start
        const save = async (changed: object) => {
          await new Promise((resolve) => setTimeout(resolve, 100))
          if (fails) throw new Error('no')
          stored = { ...stored, ...changed }
        }
        const row = new Autosave<'remark' | 'conduct'>(start, { save, isTemporary: () => true })
        for (const step of done) {
          if ('field' in step) row.edit(step.field, step.value)
          else if ('ms' in step) await vi.advanceTimersByTimeAsync(step.ms)
          else fails = step.fails
        }
        fails = false
        await vi.advanceTimersByTimeAsync(20_000)
        expect(row.isUnsaved).toBe(false)
        expect(stored).toEqual(row.getSnapshot().values)
      }),
      { numRuns: 60 },
    )
  })
})
