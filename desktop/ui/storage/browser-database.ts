import { type DBSchema, deleteDB, type IDBPDatabase, openDB } from 'idb'
import type { Sealed } from './sealing.ts'

/**
 * What this browser stores for this site. The key of each record begins with the person, so that people who share a computer stay apart.
 */
interface Schema extends DBSchema {
  /** Unconfirmed marks, by window. */
  pending_marks: { key: [userId: string, schoolId: string, assessmentId: string, windowId: string]; value: unknown }
  /** Unconfirmed attendance, with the register instead of the assessment. */
  pending_attendance: { key: [userId: string, schoolId: string, assessmentId: string, windowId: string]; value: unknown }
  /** Unconfirmed texts of report books, with the class and term instead of the assessment. */
  pending_texts: { key: [userId: string, schoolId: string, assessmentId: string, windowId: string]; value: unknown }
  /** The last replies of the server, encrypted. `request`: the digest of the request; `at`: ms. */
  replies: { key: [userId: string, schoolId: string, request: string]; value: StoredReply; indexes: { at: number } }
}
type StoredReply = { userId: string; schoolId: string; request: string; at: number; sealed: Sealed }
/** The stores of entries that the server has not confirmed. */
export type PendingStore = 'pending_marks' | 'pending_attendance' | 'pending_texts'
export type BrowserDatabase = IDBPDatabase<Schema>

const NAME = 'markbook'
const VERSION = 3

/**
 * Opens the database; null where the browser has none for this page, as in some private windows. `gone` is called when it was closed
 * because the browser removed it or another window upgrades it. One that a newer version of the app has made is opened as it is.
 */
export async function openBrowserDatabase(gone: () => void = () => {}): Promise<BrowserDatabase | null> {
  const open = async (version?: number) => {
    const database = await openDB<Schema>(NAME, version, {
      upgrade: (made, oldVersion) => {
        const keyPath = ['userId', 'schoolId', 'assessmentId', 'windowId']
        if (oldVersion < 1) made.createObjectStore('pending_marks', { keyPath })
        if (oldVersion < 1) made.createObjectStore('replies', { keyPath: ['userId', 'schoolId', 'request'] }).createIndex('at', 'at')
        if (oldVersion < 2) made.createObjectStore('pending_attendance', { keyPath })
        made.createObjectStore('pending_texts', { keyPath })
      },
      // A newer version of the app in another window waits until this connection is closed.
      blocking: () => {
        database.close()
        gone()
      },
      terminated: gone,
    })
    return database
  }
  const isNewer = (failure: unknown) => failure instanceof DOMException && failure.name === 'VersionError'
  return open(VERSION)
    .catch((failure: unknown) => (isNewer(failure) ? open() : null))
    .catch(() => null)
}

let opened: Promise<BrowserDatabase | null> | undefined
/** The database of this window. Opened on first use, and again after the browser closed it or could not open it. */
export const browserDatabase = (): Promise<BrowserDatabase | null> => {
  const forget = () => {
    opened = undefined
  }
  opened ??= openBrowserDatabase(forget).then((database) => {
    if (!database) forget()
    return database
  })
  return opened
}

/** Removes the whole database. */
export async function forgetBrowserDatabase(): Promise<void> {
  ;(await opened)?.close()
  opened = undefined
  await deleteDB(NAME).catch(() => {})
}

/** All keys that begin with these parts. */
export const keysBelow = (...start: string[]): IDBKeyRange => IDBKeyRange.bound(start, [...start, []])
