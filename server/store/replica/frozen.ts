import { naturalId } from '@markbook/shared/ids'
import { type Freeze, freezeOf, settleEntry } from '@markbook/sync/merge/settle'
import { keepClaims, writeRows } from './application.ts'
import type { Application, Change } from './page.ts'
import { idsThere, knownRows, rowsNaming } from './states.ts'

export const BOOK = 'report_book'
const ENTRY = 'report_book_entry'

/**
 * Settles the entries of every book that changed: their figures are its snapshot's, and once it was sent they are what was sent. An entry
 * that came late to a sent book is kept and not shown.
 */
export async function settleEntries(application: Application): Promise<void> {
  const { tx, schoolId, changes } = application
  const books = changes.get(BOOK) ?? new Map<string, Change>()
  const own = changes.get(ENTRY) ?? new Map<string, Change>()
  if (books.size + own.size === 0) return
  changes.set(ENTRY, own)
  for (const id of await entriesOf(application, books)) {
    if (own.has(id)) continue
    const known = (await knownRows(tx, ENTRY, schoolId, [id])).get(id)
    if (known) own.set(id, { known, state: known.state, settled: [], source: known.source })
  }
  const freezes = await freezesOf(application, own)
  for (const change of own.values()) {
    const freeze = freezes.get(change.state.values['report_book_id'] as string)
    if (!freeze) continue
    const settled = settleEntry(change.state, freeze)
    change.asSent = settled ? 'there' : 'absent'
    change.settled = settled ?? []
    if (!settled) keepTyped(application, change)
  }
}

/** Writes the entries of books that were written only after them, so that they show the figures of these. */
export async function followBooks(application: Application, books: readonly Change[]): Promise<void> {
  const { tx, schoolId, changes } = application
  const ids = new Set(books.map(({ state }) => state.id))
  const own = [...(changes.get(ENTRY)?.values() ?? [])].filter(({ state }) => ids.has(state.values['report_book_id'] as string))
  const there = await idsThere(
    tx,
    ENTRY,
    schoolId,
    own.map(({ state }) => state.id),
  )
  await writeRows(
    application,
    ENTRY,
    own.filter(({ state }) => there.has(state.id)),
  )
}

/** Ids of the entries of changed books: those that exist, and those that were sent with a book and may have been deleted since. */
async function entriesOf({ tx, schoolId }: Application, books: ReadonlyMap<string, Change>): Promise<Set<string>> {
  if (books.size === 0) return new Set()
  const rows = await rowsNaming(tx, ENTRY, schoolId, 'report_book_id', [...books.keys()])
  const sent = [...books.values()].flatMap(({ state }) =>
    (freezeOf(state)?.entries ?? []).map(({ subject_id }) => naturalId('report_book_entry', state.id, subject_id)),
  )
  return new Set([...rows.map(({ id }) => id), ...sent])
}

async function freezesOf({ tx, schoolId, changes }: Application, entries: ReadonlyMap<string, Change>): Promise<Map<string, Freeze>> {
  const ids = new Set([...entries.values()].map(({ state }) => state.values['report_book_id'] as string))
  const books = changes.get(BOOK)
  const known = await knownRows(
    tx,
    BOOK,
    schoolId,
    [...ids].filter((id) => !books?.has(id)),
  )
  return new Map(
    [...ids].flatMap((id) => {
      const state = books?.get(id)?.state ?? known.get(id)?.state
      const freeze = state && freezeOf(state)
      return freeze ? [[id, freeze] as const] : []
    }),
  )
}

function keepTyped(application: Application, { state }: Change): void {
  const typed = Object.entries({ letter: 'manual_letter', teacher_remark: 'teacher_remark' })
  const claims = state.alive.length > 0 ? typed.filter(([, column]) => (state.values[column] ?? null) !== null) : []
  keepClaims(application, ENTRY, { state, settled: claims.map(([unit]) => ({ unit, stands: {}, reason: 'sent' })) })
}
