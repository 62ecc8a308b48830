import { type DBSchema, deleteDB, type IDBPDatabase, openDB } from 'idb'
import type { Sealed } from './sealing.ts'

/** What this browser keeps for this address. Every record has the person whom it is of, so that a shared computer mixes nobody. */
interface Schema extends DBSchema {
  /** Marks that the server has not confirmed, by window. */
  pending_marks: { key: [userId: string, schoolId: string, assessmentId: string, windowId: string]; value: unknown }
  /** Attendance, likewise: of a register in place of an assessment. */
  pending_attendance: { key: [userId: string, schoolId: string, assessmentId: string, windowId: string]; value: unknown }
  /** Texts of report books, likewise: of a class and term in place of an assessment. */
  pending_texts: { key: [userId: string, schoolId: string, assessmentId: string, windowId: string]; value: unknown }
  /** Replies of the server that were last seen, encrypted. `request`: the digest of what was asked; `at`: ms. */
  replies: { key: [userId: string, schoolId: string, request: string]; value: StoredReply; indexes: { at: number } }
}
type StoredReply = { userId: string; schoolId: string; request: string; at: number; sealed: Sealed }
/** Where entries lie that the server has not confirmed. */
export type PendingStore = 'pending_marks' | 'pending_attendance' | 'pending_texts'
export type BrowserDatabase = IDBPDatabase<Schema>

const NAME = 'markbook'
const VERSION = 3

/** Null where the browser has no database for this page, as some in a private window. `gone`: it is closed, since the browser has taken it away or another window needs it. */
export async function openBrowserDatabase(gone: () => void = () => {}): Promise<BrowserDatabase | null> {
  try {
    const database = await openDB<Schema>(NAME, VERSION, {
      upgrade: (made, oldVersion) => {
        const keyPath = ['userId', 'schoolId', 'assessmentId', 'windowId']
        if (oldVersion < 1) made.createObjectStore('pending_marks', { keyPath })
        if (oldVersion < 1) made.createObjectStore('replies', { keyPath: ['userId', 'schoolId', 'request'] }).createIndex('at', 'at')
        if (oldVersion < 2) made.createObjectStore('pending_attendance', { keyPath })
        made.createObjectStore('pending_texts', { keyPath })
      },
      // A newer program in another window waits for this one to let go.
      blocking: () => {
        database.close()
        gone()
      },
      terminated: gone,
    })
    return database
  } catch {
    return null
  }
}

let opened: Promise<BrowserDatabase | null> | undefined
/** The database of this window, opened once, and again where the browser took it away. */
export const browserDatabase = (): Promise<BrowserDatabase | null> => {
  opened ??= openBrowserDatabase(() => {
    opened = undefined
  })
  return opened
}

/** Removes everything in it. */
export async function forgetBrowserDatabase(): Promise<void> {
  ;(await opened)?.close()
  opened = undefined
  await deleteDB(NAME).catch(() => {})
}

/** All keys that begin so. */
export const keysBelow = (...start: string[]): IDBKeyRange => IDBKeyRange.bound(start, [...start, []])
