import { Failure } from '@markbook/shared/failures'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { MarkQueue } from '../marks/model/mark-queue.ts'
import type { PendingMark } from '../marks/model/pending-mark.ts'
import { Autosave, type FieldValues } from './autosave.ts'
import { type BookField, storedText, type TextGroup, textGroupKey, textGroupOf, textOfKey, textValue, typedOf } from './pending-text.ts'
import { rowQueue } from './row-queue.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

type Values = FieldValues<BookField>
const start: Values = { remark: '', conduct: 'Good', attendance: '' }
const group: TextGroup = { subjectId: null, classId: 'class', termId: 'term', type: 'term' }
const place = { readsBooks: true, yearId: 'year' }
const one = { bookId: 'one', rowId: 'one' }

/** A server with the texts of one book, a line to it, and the queue of a window. */
function world() {
  const server = {
    texts: { ...start },
    away: false,
    refusal: null as Failure | null,
    sent: [] as object[],
    kept: [] as readonly PendingMark[],
  }
  const later = () => new Promise((resolve) => setTimeout(resolve, 50))
  const rows = () => (Object.keys(start) as BookField[]).map((field) => storedText(one, field, textValue(field, server.texts[field])))
  const write = async (texts: readonly Pick<PendingMark, 'studentId' | 'score'>[]) => {
    await later()
    if (server.away) throw new Failure(0, 'unreachable', 'The server cannot be reached.')
    if (server.refusal) throw server.refusal
    const changed = Object.fromEntries(texts.map(({ studentId, score }) => [textOfKey(studentId).field, typedOf(score)]))
    server.texts = { ...server.texts, ...changed }
    server.sent.push(changed)
    return rows()
  }
  const openWindow = () => {
    const queue = new MarkQueue({
      readsFirst: true,
      delay: 900,
      send: (_key, texts) => write(texts),
      remove: async (_key, studentId) => void (await write([{ studentId, score: null }])),
      read: async () => {
        await later()
        if (server.away) throw new Failure(0, 'unreachable', 'The server cannot be reached.')
        return rows()
      },
      saved: () => {},
      removed: () => {},
      store: (_key, pending) => {
        server.kept = pending
      },
      later: (ms, then) => {
        const timer = setTimeout(then, ms)
        return () => clearTimeout(timer)
      },
      now: () => new Date().toISOString(),
      random: () => 0,
    })
    const isInvalid = (field: BookField, value: string) => field === 'attendance' && value === '101'
    const row = new Autosave<BookField>(
      { ...server.texts },
      rowQueue({ queue, writtenIn: () => {} }, { group, place, row: one }),
      isInvalid,
    )
    row.follow()
    return { queue, row }
  }
  return { server, openWindow, ...openWindow() }
}
const later = (ms: number) => vi.advanceTimersByTimeAsync(ms)

describe('texts that save themselves', () => {
  test('once, a moment after the last key, with only what changed; each key is kept at once', async () => {
    const { server, row } = world()
    row.edit('remark', 'A')
    expect(server.kept).toMatchObject([{ score: 'A', seen: null }])
    await later(500)
    row.edit('remark', 'A steady term.')
    expect(row.getSnapshot().state).toBe('saving')
    await later(899)
    expect(server.sent).toEqual([])
    await later(200)
    expect(server.sent).toEqual([{ remark: 'A steady term.' }])
    expect(row.getSnapshot().state).toBe('saved')
    expect(row.isUnsaved).toBe(false)
    expect(server.kept).toEqual([])
  })

  test('what is typed while a request is under way goes with the next', async () => {
    const { server, row } = world()
    row.edit('remark', 'one')
    row.flush()
    await later(60)
    row.edit('remark', 'two')
    await later(3_000)
    expect(server.sent).toEqual([{ remark: 'one' }, { remark: 'two' }])
    expect(row.getSnapshot()).toMatchObject({ state: 'saved', values: { remark: 'two' } })
  })

  test('what was changed back is not sent', async () => {
    const { server, row } = world()
    row.edit('conduct', 'Bad')
    row.edit('conduct', 'Good')
    await later(2_000)
    expect(server.sent).toEqual([])
    expect(row.getSnapshot().state).toBe('same')
  })

  test('a text that is emptied is taken away at the server', async () => {
    const { server, row } = world()
    row.edit('conduct', '')
    await later(2_000)
    expect(server.texts.conduct).toBe('')
    expect(row.getSnapshot()).toMatchObject({ state: 'saved', values: { conduct: '' } })
  })

  test('a refusal stays in sight with what was typed; nobody answering is tried again by itself', async () => {
    const { server, row } = world()
    server.away = true
    row.edit('remark', 'kept')
    await later(1_000)
    expect(row.getSnapshot()).toMatchObject({ state: 'waiting', values: { remark: 'kept' } })
    expect(row.isUnsaved).toBe(true)
    server.away = false
    server.refusal = new Failure(409, 'reports.locked', 'This report was sent.')
    await later(40_000)
    expect(row.getSnapshot()).toMatchObject({ state: 'failed', open: [{ field: 'remark', pending: { code: 'reports.locked' } }] })
    server.refusal = null
    const [open] = row.getSnapshot().open
    if (open) row.decide(open, 'compare')
    await later(1_000)
    expect(server.texts.remark).toBe('kept')
    expect(row.getSnapshot().state).toBe('saved')
  })

  test('a refused text that is thrown away leaves what stood there', async () => {
    const { server, row } = world()
    server.refusal = new Failure(409, 'reports.locked', 'This report was sent.')
    row.edit('conduct', 'Late')
    await later(1_500)
    const [open] = row.getSnapshot().open
    if (open) row.decide(open, 'theirs')
    expect(row.getSnapshot()).toMatchObject({ values: { conduct: 'Good' }, open: [] })
    expect(row.isUnsaved).toBe(false)
  })

  test('what cannot be meant is not sent, not even what was typed on the way to it, and the rest of the row is', async () => {
    const { server, row } = world()
    row.edit('attendance', '10')
    row.edit('attendance', '101')
    row.edit('remark', 'fine')
    await later(2_000)
    expect(server.sent).toEqual([{ remark: 'fine' }])
    expect(row.getSnapshot().state).toBe('wrong')
    expect(row.isWrong).toBe(true)
    row.edit('attendance', '')
    await later(2_000)
    expect(row.getSnapshot().state).toBe('saved')
  })

  test('what was on its way before it could not be meant is taken back, and nobody is asked about it', async () => {
    const { server, row } = world()
    server.texts.attendance = '80'
    row.mergeStored(server.texts)
    row.edit('attendance', '1')
    row.flush()
    await later(60)
    row.edit('attendance', '101')
    await later(3_000)
    expect(server.sent).toEqual([{ attendance: '1' }, { attendance: '80' }])
    expect(row.getSnapshot()).toMatchObject({ state: 'wrong', values: { attendance: '101' } })
    row.edit('attendance', '97')
    await later(3_000)
    expect(server.texts.attendance).toBe('97')
    expect(row.getSnapshot()).toMatchObject({ state: 'saved', open: [], values: { attendance: '97' } })
  })

  test('the words of somebody else are never written over unasked', async () => {
    const { server, row } = world()
    row.edit('remark', 'mine')
    server.texts = { ...server.texts, remark: 'theirs' }
    await later(2_000)
    expect(server.texts.remark).toBe('theirs')
    expect(row.getSnapshot()).toMatchObject({ state: 'asked', values: { remark: 'mine' }, open: [{ pending: { theirs: 'theirs' } }] })
    // Who types on has not decided by that.
    row.edit('remark', 'mine, longer')
    await later(2_000)
    expect(server.texts.remark).toBe('theirs')
    const [open] = row.getSnapshot().open
    if (open) row.decide(open, 'mine')
    await later(2_000)
    expect(server.texts.remark).toBe('mine, longer')
    expect(row.getSnapshot()).toMatchObject({ state: 'saved', open: [] })
  })

  test('a question says what stands there by now', async () => {
    const { server, row } = world()
    row.edit('remark', 'mine')
    server.texts = { ...server.texts, remark: 'theirs' }
    await later(2_000)
    server.texts = { ...server.texts, remark: 'theirs, longer' }
    row.mergeStored(server.texts)
    expect(row.getSnapshot()).toMatchObject({ values: { remark: 'mine' }, open: [{ pending: { theirs: 'theirs, longer' } }] })
  })

  test('theirs can be left', async () => {
    const { server, row } = world()
    row.edit('remark', 'mine')
    server.texts = { ...server.texts, remark: 'theirs' }
    await later(2_000)
    const [open] = row.getSnapshot().open
    if (open) row.decide(open, 'theirs')
    await later(2_000)
    expect([server.texts.remark, row.getSnapshot().values.remark, row.isUnsaved]).toEqual(['theirs', 'theirs', false])
  })

  test('the next window has what a closed one left, in the field and on its way', async () => {
    const { server, row, openWindow } = world()
    server.away = true
    row.edit('remark', 'left behind')
    await later(1_000)
    const left = server.kept
    const next = openWindow()
    next.queue.takeOver(left)
    expect(next.row.getSnapshot().values.remark).toBe('left behind')
    server.away = false
    await later(40_000)
    expect(server.texts.remark).toBe('left behind')
  })

  test('news reach a field that nobody changed and nobody is in', () => {
    const { row } = world()
    row.edit('remark', 'mine')
    row.mergeStored({ ...start, remark: 'theirs', conduct: 'Very good' })
    expect(row.getSnapshot().values).toMatchObject({ remark: 'mine', conduct: 'Very good' })
    row.setFocusedField('conduct')
    row.mergeStored({ ...start, remark: 'theirs', conduct: 'Poor' })
    expect(row.getSnapshot().values.conduct).toBe('Very good')
  })

  test('a value of before the save does not replace the saved one, and the next value from the server does', async () => {
    const { row } = world()
    row.edit('remark', 'mine')
    await later(2_000)
    row.mergeStored({ ...start })
    expect(row.getSnapshot().values.remark).toBe('mine')
    row.mergeStored({ ...start, remark: 'mine' })
    row.mergeStored({ ...start, remark: 'theirs' })
    expect(row.getSnapshot().values.remark).toBe('theirs')
    row.mergeStored({ ...start })
    expect(row.getSnapshot().values.remark).toBe('')
  })

  test('whatever is typed, whenever the line is cut and whatever somebody else writes, nobody’s words go unasked', async () => {
    const field = fc.constantFrom<BookField>('remark', 'conduct')
    const steps = fc.array(
      fc.oneof(
        fc.record({ field, value: fc.string({ maxLength: 3 }) }),
        fc.record({ field, theirs: fc.string({ maxLength: 3 }) }),
        fc.record({ ms: fc.integer({ min: 0, max: 2_000 }) }),
        fc.record({ away: fc.boolean() }),
      ),
      { maxLength: 20 },
    )
    const takenBackWhileAway = [
      { field: 'remark' as const, value: 'a' },
      { away: true },
      { ms: 920 },
      { field: 'remark' as const, value: '' },
      { ms: 2_000 },
      { field: 'conduct' as const, value: '' },
    ]
    await fc.assert(
      fc.asyncProperty(steps, async (done) => {
        const { server, row } = world()
        // What somebody else wrote and nobody was asked about yet.
        const theirs = new Map<BookField, string>()
        for (const step of done) {
          if ('value' in step) row.edit(step.field, step.value)
          else if ('theirs' in step) {
            // Not between the reading and the writing of one request: the server has no check for it.
            await later(3_000)
            row.mergeStored(server.texts)
            server.texts = { ...server.texts, [step.field]: typedOf(textValue(step.field, step.theirs)) }
            theirs.set(step.field, server.texts[step.field])
          } else if ('ms' in step) await later(step.ms)
          else server.away = step.away
        }
        server.away = false
        await later(120_000)
        row.mergeStored(server.texts)
        for (const [name, text] of theirs) {
          const asked = row.getSnapshot().open.find(({ field }) => field === name)
          if (asked) expect(server.texts[name]).toBe(text)
        }
        for (const { field, pending } of row.getSnapshot().open) {
          expect(pending.theirs).toBe(textValue(field, server.texts[field]))
          row.decide({ field, pending }, 'mine')
        }
        row.mergeStored(server.texts)
        await later(120_000)
        expect(row.isUnsaved).toBe(false)
        for (const name of ['remark', 'conduct'] as const)
          expect(textValue(name, server.texts[name])).toBe(textValue(name, row.getSnapshot().values[name]))
      }),
      { numRuns: 60, examples: [[takenBackWhileAway]] },
    )
  })
})

test('a group of texts comes back from its name, and a text from its own', () => {
  const groups: TextGroup[] = [group, { ...group, subjectId: 'maths', type: 'year_end' }]
  for (const each of groups) expect(textGroupOf(textGroupKey(each))).toEqual(each)
  expect(textOfKey('book entry letter')).toEqual({ bookId: 'book', rowId: 'entry', field: 'letter' })
})
