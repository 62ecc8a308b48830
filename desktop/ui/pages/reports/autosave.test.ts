import { Failure } from '@markbook/shared/failures'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { MarkQueue } from '../marks/model/mark-queue.ts'
import type { PendingMark } from '../marks/model/pending-mark.ts'
import { Autosave, type FieldValues, PAUSE_MS } from './autosave.ts'
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
const rowOf = (book: Book) => ({ bookId: book, rowId: book })
const books = ['one', 'two'] as const
type Book = (typeof books)[number]

/** A server with the texts of two report books, a connection, and the queue of a window. `texts`: those of the first. */
function world() {
  const server = {
    texts: { ...start },
    textsOfTwo: { ...start },
    away: false,
    refusal: null as Failure | null,
    /** The report book whose requests are refused; null for all. */
    refused: null as Book | null,
    sent: [] as object[],
    kept: [] as readonly PendingMark[],
  }
  const later = () => new Promise((resolve) => setTimeout(resolve, 50))
  const textsOf = (book: Book) => (book === 'one' ? server.texts : server.textsOfTwo)
  const rows = (of: readonly Book[]) =>
    of.flatMap((book) =>
      (Object.keys(start) as BookField[]).map((field) => storedText(rowOf(book), field, textValue(field, textsOf(book)[field]))),
    )
  /** One request for each report book, as on the page. */
  const write = async (texts: readonly Pick<PendingMark, 'studentId' | 'score'>[]) => {
    const written = books.filter((book) => texts.some(({ studentId }) => textOfKey(studentId).rowId === book))
    for (const book of written) {
      await later()
      if (server.away) throw new Failure(0, 'unreachable', 'The server cannot be reached.')
      if (server.refusal && (server.refused === null || server.refused === book)) throw server.refusal
      const own = texts.filter(({ studentId }) => textOfKey(studentId).rowId === book)
      const changed = Object.fromEntries(own.map(({ studentId, score }) => [textOfKey(studentId).field, typedOf(score)]))
      if (book === 'one') server.texts = { ...server.texts, ...changed }
      else server.textsOfTwo = { ...server.textsOfTwo, ...changed }
      server.sent.push(changed)
    }
    return rows(written)
  }
  const openWindow = () => {
    const queue = new MarkQueue({
      readsFirst: true,
      delay: PAUSE_MS,
      send: (_key, texts) => write(texts),
      remove: async (_key, studentId) => void (await write([{ studentId, score: null }])),
      read: async (_key, texts) => {
        await later()
        if (server.away) throw new Failure(0, 'unreachable', 'The server cannot be reached.')
        return rows(books.filter((book) => texts.some((text) => textOfKey(text).bookId === book)))
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
    const rowFor = (book: Book) => {
      const row = new Autosave<BookField>(
        { ...textsOf(book) },
        rowQueue({ queue, writtenIn: () => {} }, { group, place, row: rowOf(book) }),
        isInvalid,
      )
      row.follow()
      return row
    }
    return { queue, row: rowFor('one'), rowOfTwo: rowFor('two') }
  }
  return { server, openWindow, ...openWindow() }
}
const later = (ms: number) => vi.advanceTimersByTimeAsync(ms)

describe('texts that save themselves', () => {
  test('are stored at each key, and the changed ones are sent once, a moment after the last key', async () => {
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

  test('a text typed during a request is sent in the next one', async () => {
    const { server, row } = world()
    row.edit('remark', 'one')
    row.flush()
    await later(60)
    row.edit('remark', 'two')
    await later(3_000)
    expect(server.sent).toEqual([{ remark: 'one' }, { remark: 'two' }])
    expect(row.getSnapshot()).toMatchObject({ state: 'saved', values: { remark: 'two' } })
  })

  test('a text that was changed back is not sent', async () => {
    const { server, row } = world()
    row.edit('conduct', 'Bad')
    row.edit('conduct', 'Good')
    await later(2_000)
    expect(server.sent).toEqual([])
    expect(row.getSnapshot().state).toBe('same')
  })

  test('an emptied text is deleted on the server', async () => {
    const { server, row } = world()
    row.edit('conduct', '')
    await later(2_000)
    expect(server.texts.conduct).toBe('')
    expect(row.getSnapshot()).toMatchObject({ state: 'saved', values: { conduct: '' } })
  })

  test('a refusal is shown with the typed text; without a reply the text is sent again', async () => {
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

  test('discarding a refused text restores the stored one', async () => {
    const { server, row } = world()
    server.refusal = new Failure(409, 'reports.locked', 'This report was sent.')
    row.edit('conduct', 'Late')
    await later(1_500)
    const [open] = row.getSnapshot().open
    if (open) row.decide(open, 'theirs')
    expect(row.getSnapshot()).toMatchObject({ values: { conduct: 'Good' }, open: [] })
    expect(row.isUnsaved).toBe(false)
  })

  test('an invalid value and its valid beginnings are not sent, and the rest of the row is', async () => {
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

  test('a valid beginning of an invalid value that was sent already is undone, without a question', async () => {
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

  test('somebody else’s text is not overwritten without a question', async () => {
    const { server, row } = world()
    row.edit('remark', 'mine')
    server.texts = { ...server.texts, remark: 'theirs' }
    await later(2_000)
    expect(server.texts.remark).toBe('theirs')
    expect(row.getSnapshot()).toMatchObject({ state: 'asked', values: { remark: 'mine' }, open: [{ pending: { theirs: 'theirs' } }] })
    // Typing on does not answer the question.
    row.edit('remark', 'mine, longer')
    await later(2_000)
    expect(server.texts.remark).toBe('theirs')
    const [open] = row.getSnapshot().open
    if (open) row.decide(open, 'mine')
    await later(2_000)
    expect(server.texts.remark).toBe('mine, longer')
    expect(row.getSnapshot()).toMatchObject({ state: 'saved', open: [] })
  })

  test('a text typed while another report book is read overwrites only the text that the user saw', async () => {
    const { server, row, rowOfTwo } = world()
    server.textsOfTwo = { ...start, remark: 'seen' }
    rowOfTwo.mergeStored(server.textsOfTwo)
    const typedDuringTheRead = async (text: string) => {
      row.edit('remark', `before ${text}`)
      row.flush()
      await later(10)
      rowOfTwo.edit('remark', text)
      await later(5_000)
    }
    await typedDuringTheRead('mine')
    expect(rowOfTwo.getSnapshot()).toMatchObject({ state: 'saved', open: [] })
    expect(server.textsOfTwo.remark).toBe('mine')

    server.textsOfTwo = { ...start, remark: 'theirs' }
    await typedDuringTheRead('mine, longer')
    expect(server.textsOfTwo.remark).toBe('theirs')
    expect(rowOfTwo.getSnapshot()).toMatchObject({ state: 'asked', open: [{ pending: { theirs: 'theirs' } }] })
    expect(server.texts.remark).toBe('before mine, longer')
  })

  test('a text that was saved in the same batch as a refused one causes no question', async () => {
    const { server, row, rowOfTwo } = world()
    server.refusal = new Failure(409, 'reports.locked', 'This report was sent.')
    server.refused = 'two'
    row.edit('remark', 'one')
    rowOfTwo.edit('remark', 'refused')
    // Both report books are read, the first is saved, and the second is refused.
    await later(900 + 3 * 50 + 10)
    expect(server.sent).toEqual([{ remark: 'one' }])
    row.edit('remark', 'one, longer')
    await later(5_000)
    expect(row.getSnapshot()).toMatchObject({ state: 'saved', open: [] })
    expect(server.texts.remark).toBe('one, longer')
    expect(rowOfTwo.getSnapshot()).toMatchObject({ state: 'failed', open: [{ pending: { code: 'reports.locked' } }] })
  })

  test('a question shows the text that is on the server now', async () => {
    const { server, row } = world()
    row.edit('remark', 'mine')
    server.texts = { ...server.texts, remark: 'theirs' }
    await later(2_000)
    server.texts = { ...server.texts, remark: 'theirs, longer' }
    row.mergeStored(server.texts)
    expect(row.getSnapshot()).toMatchObject({ values: { remark: 'mine' }, open: [{ pending: { theirs: 'theirs, longer' } }] })
  })

  test('the other text can be kept', async () => {
    const { server, row } = world()
    row.edit('remark', 'mine')
    server.texts = { ...server.texts, remark: 'theirs' }
    await later(2_000)
    const [open] = row.getSnapshot().open
    if (open) row.decide(open, 'theirs')
    await later(2_000)
    expect([server.texts.remark, row.getSnapshot().values.remark, row.isUnsaved]).toEqual(['theirs', 'theirs', false])
  })

  test('the next window shows and sends the texts of a closed one', async () => {
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

  describe('Esc', () => {
    test('leaves a saved text as it is, and drops what was typed since', async () => {
      const { server, row } = world()
      row.setFocusedField('remark')
      row.edit('remark', 'Works well.')
      await later(2_000)
      expect(row.getSnapshot().state).toBe('saved')
      expect(row.revert('remark')).toBe(false)
      row.edit('remark', 'Works well. But')
      expect(row.revert('remark')).toBe(true)
      expect(row.revert('remark')).toBe(false)
      await later(2_000)
      expect([row.getSnapshot().values.remark, server.texts.remark]).toEqual(['Works well.', 'Works well.'])
    })

    test('brings back a text whose deletion is not sent yet', async () => {
      const { server, row } = world()
      row.setFocusedField('conduct')
      row.edit('conduct', '')
      await later(500)
      expect(row.revert('conduct')).toBe(true)
      await later(2_000)
      expect([row.getSnapshot().values.conduct, server.texts.conduct]).toEqual(['Good', 'Good'])
    })

    test('leaves a text that is being sent, and one that was typed before it', async () => {
      const { server, row } = world()
      row.setFocusedField('remark')
      row.edit('remark', 'one')
      row.flush()
      await later(60)
      expect(row.revert('remark')).toBe(false)
      row.edit('remark', 'one two')
      expect(row.revert('remark')).toBe(true)
      await later(3_000)
      expect([row.getSnapshot().values.remark, server.texts.remark]).toEqual(['one', 'one'])
    })

    test('without a server leaves what waits, and brings it back after a deletion', async () => {
      const { server, row } = world()
      server.away = true
      row.setFocusedField('remark')
      row.edit('remark', 'waits')
      await later(2_000)
      expect(row.revert('remark')).toBe(false)
      row.edit('remark', 'waits longer')
      await later(900)
      expect(row.revert('remark')).toBe(false)
      row.edit('remark', '')
      expect(row.revert('remark')).toBe(true)
      expect(row.getSnapshot().values.remark).toBe('waits longer')
      server.away = false
      await later(40_000)
      expect(server.texts.remark).toBe('waits longer')
    })

    test('brings back a text that was left, whether or not it is saved', () => {
      const { row } = world()
      row.setFocusedField('remark')
      row.edit('remark', 'left')
      row.setFocusedField(null)
      row.setFocusedField('remark')
      expect(row.revert('remark')).toBe(false)
      row.edit('remark', '')
      expect(row.revert('remark')).toBe(true)
      expect(row.getSnapshot().values.remark).toBe('left')
    })

    test('drops an invalid attendance', async () => {
      const { server, row } = world()
      row.setFocusedField('attendance')
      row.edit('attendance', '10')
      await later(2_000)
      row.edit('attendance', '101')
      await later(2_000)
      expect(row.revert('attendance')).toBe(true)
      await later(2_000)
      expect([row.getSnapshot().values.attendance, server.texts.attendance]).toEqual(['10', '10'])
    })
  })

  test('new values from the server are shown in fields without changes and focus', () => {
    const { row } = world()
    row.edit('remark', 'mine')
    row.mergeStored({ ...start, remark: 'theirs', conduct: 'Very good' })
    expect(row.getSnapshot().values).toMatchObject({ remark: 'mine', conduct: 'Very good' })
    row.setFocusedField('conduct')
    row.mergeStored({ ...start, remark: 'theirs', conduct: 'Poor' })
    expect(row.getSnapshot().values.conduct).toBe('Very good')
  })

  test('a value read before the save does not replace the saved one, and the next value does', async () => {
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

  test('a user who changes a text back sees what somebody else wrote meanwhile', async () => {
    const { server, row } = world()
    server.away = true
    row.edit('remark', 'mine')
    await later(2_000)
    server.texts = { ...server.texts, remark: 'theirs' }
    row.mergeStored(server.texts)
    row.edit('remark', '')
    row.mergeStored(server.texts)
    expect(row.getSnapshot()).toMatchObject({ state: 'same', values: { remark: 'theirs' } })
  })

  test('no text is overwritten without a question, whatever is typed, lost or written by others', async () => {
    const field = fc.constantFrom<BookField>('remark', 'conduct')
    const book = fc.constantFrom(...books)
    const steps = fc.array(
      fc.oneof(
        fc.record({ book, field, value: fc.string({ maxLength: 3 }) }),
        fc.record({ book, field: fc.constant<BookField>('attendance'), value: fc.constantFrom('', '1', '10', '101', '97') }),
        fc.record({ book, field, theirs: fc.string({ maxLength: 3 }) }),
        fc.record({ leave: book }),
        fc.record({ ms: fc.oneof(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 0, max: 2_000 })) }),
        fc.record({ away: fc.boolean() }),
      ),
      { maxLength: 20 },
    )
    const one = { book: 'one' as const, field: 'remark' as const }
    const takenBackWhileAway = [
      { ...one, value: 'a' },
      { away: true },
      { ms: 920 },
      { ...one, value: '' },
      { ms: 2_000 },
      { ...one, field: 'conduct' as const, value: '' },
    ]
    await fc.assert(
      fc.asyncProperty(steps, async (done) => {
        const { server, row, rowOfTwo } = world()
        const rowsOf = { one: row, two: rowOfTwo }
        const textOf = (book: Book) => (book === 'one' ? server.texts : server.textsOfTwo)
        const showNews = () => {
          for (const book of books) rowsOf[book].mergeStored(textOf(book))
        }
        // Texts of somebody else about which there was no question yet.
        const theirs: { book: Book; field: BookField; text: string }[] = []
        for (const step of done) {
          if ('value' in step) rowsOf[step.book].edit(step.field, step.value)
          else if ('theirs' in step) {
            // Not between the read and the write of a request: the server does not check for that.
            await later(3_000)
            showNews()
            const text = typedOf(textValue(step.field, step.theirs))
            if (step.book === 'one') server.texts = { ...server.texts, [step.field]: text }
            else server.textsOfTwo = { ...server.textsOfTwo, [step.field]: text }
            theirs.push({ book: step.book, field: step.field, text })
          } else if ('leave' in step) rowsOf[step.leave].flush()
          else if ('ms' in step) await later(step.ms)
          else server.away = step.away
        }
        server.away = false
        await later(120_000)
        showNews()
        const last = new Map(theirs.map((each) => [`${each.book} ${each.field}`, each]))
        for (const { book, field, text } of last.values()) {
          const isAsked = rowsOf[book].getSnapshot().open.some((open) => open.field === field)
          if (isAsked) expect(textOf(book)[field]).toBe(text)
        }
        for (const book of books)
          for (const { field, pending } of rowsOf[book].getSnapshot().open) {
            // The question is about somebody else's text, not about the user's own.
            expect(theirs).toContainEqual({ book, field, text: textOf(book)[field] })
            expect(pending.theirs).toBe(textValue(field, textOf(book)[field]))
            rowsOf[book].decide({ field, pending }, 'mine')
          }
        showNews()
        await later(120_000)
        for (const book of books) {
          const { values } = rowsOf[book].getSnapshot()
          expect(rowsOf[book].isUnsaved).toBe(values.attendance === '101')
          for (const name of ['remark', 'conduct', 'attendance'] as const)
            if (values[name] !== '101') expect(textValue(name, textOf(book)[name])).toBe(textValue(name, values[name]))
        }
      }),
      { numRuns: 300, examples: [[takenBackWhileAway]] },
    )
  })
})

test('the key of a group of texts, and that of a text, can be read back', () => {
  const groups: TextGroup[] = [group, { ...group, subjectId: 'maths', type: 'year_end' }]
  for (const each of groups) expect(textGroupOf(textGroupKey(each))).toEqual(each)
  expect(textOfKey('book entry letter')).toEqual({ bookId: 'book', rowId: 'entry', field: 'letter' })
})
