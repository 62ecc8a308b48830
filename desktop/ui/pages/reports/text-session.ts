import type { Report, ReportEntry } from '@markbook/shared/contract/reports'
import { Failure } from '@markbook/shared/failures'
import { promptClient as client } from '../../api/client.ts'
import { ask, queryClient, refresh } from '../../api/queries.ts'
import type { CellValue } from '../marks/model/cell-value.ts'
import { type KeptQueue, openKeptQueue, sessionsOf, tellUnsaved, type Whose } from '../marks/model/kept-queue.ts'
import { grouped } from '../marks/model/mark-values.ts'
import type { StoredMark } from '../marks/model/pending-mark.ts'
import { PAUSE_MS } from './autosave.ts'
import { booksRequest, showEntries, showReadBook, showSavedBook, showSavedEntry } from './book-queries.ts'
import { lettersFor } from './field-values.ts'
import { storedText, type TextField, type TextGroup, textGroupKey, textGroupOf, textOfKey } from './pending-text.ts'

/** `readsBooks`: the person may read whole report books, and not only the entries of some subjects. */
export type TextPlace = { readsBooks: boolean; yearId: string }
export type TextSession = ReturnType<typeof open>

/** The queue of a person's texts in this window; like `markingSessionOf` for marks. */
export const textSessionOf = sessionsOf(open)

function open({ owner, isShown, demandOwn }: Whose) {
  type Text = { studentId: string; score: CellValue }
  const write = async (key: string, texts: readonly Text[]) => {
    const place = placeOf(key)
    const rows: StoredMark[] = []
    for (const own of grouped(texts, ({ studentId }) => textOfKey(studentId).rowId).values()) {
      demandOwn()
      rows.push(...(await writeRow(textGroupOf(key), place, own)))
    }
    return rows
  }
  const placeOf = (key: string): TextPlace => {
    const place = kept.places.get(key)
    if (!place) throw new Failure(404, 'not_found', 'It is not known where these texts were written.')
    return place
  }
  const kept: KeptQueue<StoredMark, TextPlace> = openKeptQueue<StoredMark, TextPlace>(owner, 'pending_texts', {
    // Changes by others do not arrive as events.
    readsFirst: true,
    delay: PAUSE_MS,
    send: write,
    remove: async (key, studentId) => {
      await write(key, [{ studentId, score: null }])
    },
    read: async (key, texts) => {
      demandOwn()
      return readTexts(textGroupOf(key), placeOf(key), new Set(texts.map((text) => textOfKey(text).bookId)))
    },
    saved: () => {},
    removed: () => {},
  })
  const wrongRows = new Set<unknown>()
  const isStored = () => wrongRows.size === 0 && kept.isStored()
  const tell = tellUnsaved({ ...kept, isStored }, 'reports', isShown, () => wrongRows.size)
  return {
    ...kept,
    /** Notes where the texts of a group are written; stored with them, so that they can be sent from another page. */
    writtenIn: (group: TextGroup, place: TextPlace) => void kept.places.set(textGroupKey(group), place),
    /** Counts a row with an invalid value as unsaved, which is neither stored nor sent. Returns a function that no longer counts it. */
    countWrong: (row: unknown) => {
      wrongRows.add(row)
      tell()
      return () => {
        wrongRows.delete(row)
        tell()
      }
    },
  }
}

/**
 * Sends what was typed into some report books without the pause, and resolves when nothing of it is on its way any more: whether all of it
 * is saved. Without `bookIds`: into any.
 */
export function areTextsSaved({ queue }: Pick<TextSession, 'queue'>, bookIds?: ReadonlySet<string>): Promise<boolean> {
  const own = () => queue.all().filter(({ studentId }) => !bookIds || bookIds.has(textOfKey(studentId).bookId))
  for (const group of new Set(own().map(({ assessmentId }) => assessmentId))) queue.sendNow(group)
  return new Promise((resolve) => {
    const look = () => {
      const texts = own()
      if (texts.some(({ state }) => state === 'fresh' || state === 'sending')) return
      stop()
      resolve(texts.length === 0)
    }
    const stop = queue.listen(look)
    look()
  })
}

type Values = Partial<Record<TextField, CellValue>>

/** Saves the texts of one row. The server may refuse, since the report book may have been sent to the ministry meanwhile. */
async function writeRow({ subjectId, type }: TextGroup, place: TextPlace, texts: readonly { studentId: string; score: CellValue }[]) {
  const { rowId } = textOfKey(texts[0]?.studentId ?? '')
  const values: Values = Object.fromEntries(texts.map(({ studentId, score }) => [textOfKey(studentId).field, score]))
  try {
    if (subjectId === null) {
      const saved = await client.reports.update({ params: { id: rowId }, body: bookBody(values) })
      showSavedBook(saved)
      return textsOfBook(saved)
    }
    const saved = await client.reports.updateEntry({ params: { entryId: rowId }, body: entryBody(values) })
    showSavedEntry(saved)
    return await textsOfEntries([saved], type, place.yearId)
  } catch (failure) {
    if (failure instanceof Failure && failure.status === 409) void refresh(['reports'])
    throw failure
  }
}

const textOrNull = (value: CellValue) => (value === null ? null : String(value))
const bookBody = ({ remark, conduct, attendance }: Values) => ({
  ...(remark !== undefined && { classTeacherRemark: textOrNull(remark) }),
  ...(conduct !== undefined && { conduct: textOrNull(conduct) }),
  ...(attendance !== undefined && { attendancePercentage: attendance === null ? null : Number(attendance) }),
})
const entryBody = ({ letter, remark }: Values) => ({
  ...(letter !== undefined && { letterGrade: textOrNull(letter) }),
  ...(remark !== undefined && { teacherRemark: textOrNull(remark) }),
})

/**
 * Reads the stored texts of these rows. For a report book that is gone there are none; the write is then refused, and the person sees why.
 */
async function readTexts(
  { subjectId, ...of }: TextGroup,
  { readsBooks, yearId }: TextPlace,
  books: ReadonlySet<string>,
): Promise<StoredMark[]> {
  if (!readsBooks) {
    // A teacher of single subjects has fewer entries in a class than a page of the list has.
    const entries = await client.reports.entries(booksRequest(of))
    showEntries(entries)
    return textsOfEntries(entries, of.type, yearId)
  }
  const rows: StoredMark[] = []
  for (const id of books) {
    const book = await client.reports.get({ params: { id } }).catch(noneWhereGone)
    if (!book) continue
    showReadBook(book)
    rows.push(...(subjectId === null ? textsOfBook(book) : await textsOfEntries(book.entries, of.type, yearId)))
  }
  return rows
}

function noneWhereGone(failure: unknown): null {
  if (failure instanceof Failure && failure.status === 404) return null
  throw failure
}

const textsOfBook = ({ id, class_teacher_remark, conduct, attendance_percentage }: Report): StoredMark[] => {
  const row = { bookId: id, rowId: id }
  return [
    storedText(row, 'remark', class_teacher_remark || null),
    storedText(row, 'conduct', conduct || null),
    storedText(row, 'attendance', attendance_percentage),
  ]
}

/** A letter equal to the calculated one does not count as chosen. */
async function textsOfEntries(entries: readonly ReportEntry[], type: TextGroup['type'], academicYearId: string): Promise<StoredMark[]> {
  const scale = await queryClient.fetchQuery({ ...ask('gradingScale', 'get', { query: { academicYearId } }), staleTime: 300_000 })
  return entries.flatMap((entry) => {
    const row = { bookId: entry.report_book_id, rowId: entry.id }
    const result = type === 'term' ? entry.term_composite : entry.year_grade
    const { calculated } = lettersFor({ passMark: scale.pass_mark, bands: scale.bands }, result, entry.letter_grade)
    return [
      storedText(row, 'letter', entry.letter_grade === calculated ? null : entry.letter_grade),
      storedText(row, 'remark', entry.teacher_remark || null),
    ]
  })
}
