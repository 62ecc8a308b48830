import type { Profile } from '@markbook/shared/contract/auth'
import { Failure } from '@markbook/shared/failures'
import { useSyncExternalStore } from 'react'
import { readStored, writeStored } from '../components/browser-storage.ts'
import { idle } from '../components/idle.ts'
import { Listeners } from './listeners.ts'
import { isSigningOut } from './signed-out.ts'

/** How long a reply may take before the last seen one is shown, in ms. */
const PATIENCE = 4_000

/** The resources whose replies are stored: those of the pages that teachers work on; nothing about accounts and nodes. */
const KEPT = new Set([
  'academicYears',
  'terms',
  'students',
  'subjects',
  'classes',
  'teachingSets',
  'assessmentCategories',
  'attendance',
  'assessments',
  'grades',
  'gradingScale',
  'calculations',
  'reports',
])
const KEPT_OF_OTHERS = new Set(['auth me', 'auth schools', 'schools mine'])
type Request = readonly [resource: string, key: string, ...rest: unknown[]]
const isKept = ([resource, key]: Request) => KEPT.has(resource) || KEPT_OF_OTHERS.has(`${resource} ${key}`)
const isProfile = ([resource, key]: Request) => resource === 'auth' && key === 'me'

/**
 * The person and school that stored replies belong to. NOBODY has only the last profile, which is read before it is known who is signed in.
 */
const NOBODY = { userId: '', schoolId: '' }
let owner = NOBODY

/** Imported on first use, since the sign-in page does not need it. */
async function kept() {
  const { keepReply, keptReply, forgetReplies, thinReplies } = await import('../storage/kept-replies.ts')
  const { browserDatabase } = await import('../storage/browser-database.ts')
  return { keepReply, keptReply, forgetReplies, thinReplies, database: await browserDatabase() }
}

const old = new Map<string, { request: Request; at: number }>()
const changes = new Listeners()
function noteOld(request: Request, at: number | null): void {
  const name = JSON.stringify(request)
  if (at !== null) old.set(name, { request, at })
  else if (!old.delete(name)) return
  changes.notify()
}

/** When the oldest of the shown replies was read that could not be read again since, in ms; null where there is none. */
export const useOldestSeen = (): number | null => useSyncExternalStore(changes.add, oldestSeen)
const oldestSeen = () => (old.size === 0 ? null : Math.min(...[...old.values()].map(({ at }) => at)))
/** The requests of the replies that are shown although they are old. */
export const oldRequests = (): Request[] => [...old.values()].map(({ request }) => request)
/** Tells that the reply of a request is not shown any more. */
export const notShown = (request: Request): void => noteOld(request, null)
/** Whether the profile is an old one, so that somebody else may be signed in by now. */
export const isProfileOld = (): boolean => old.has(PROFILE)

/**
 * The reply of the server; where the server cannot be reached or takes long, the reply that was last seen by the same person. `late` gets a
 * reply that arrives after that. Throws the failure of `call` where the server refuses, or nothing was seen before.
 */
export async function orLastSeen<T>(request: Request, call: () => Promise<T>, late: (reply: T) => void): Promise<T> {
  if (!isKept(request)) return call()
  const of = owner
  const isOfSame = () => isProfile(request) || of === owner
  const asked = call().then((reply) => {
    if (isOfSame()) keepSeen(request, reply)
    return reply
  })
  const first = await Promise.race([asked.then(answered, failed), after(PATIENCE)])
  if (first && 'reply' in first) return first.reply
  if (first && !isAway(first.failure)) {
    await refused(request, first.failure)
    throw first.failure
  }
  const quicker = await Promise.race([lastSeen<T>(request).then((seen) => ({ seen })), asked.then(answered, never)])
  if (!('seen' in quicker) || quicker.seen === undefined) return asked
  asked.then(
    (reply) => isOfSame() && late(reply),
    async (failure) => {
      if (await refused(request, failure)) location.reload()
    },
  )
  return quicker.seen
}

/**
 * Handles a refusal: its old reply is not shown any more; after a 401 everything stored is removed. True where nobody is signed in any
 * more.
 */
async function refused(request: Request, failure: unknown): Promise<boolean> {
  if (!(failure instanceof Failure) || failure.status < 400 || failure.status >= 500) return false
  noteOld(request, null)
  if (!isProfile(request) || failure.status !== 401) return false
  await forgetLastSeen()
  return true
}
const never = () => new Promise<never>(() => {})

const answered = <T>(reply: T) => ({ reply })
const failed = (failure: unknown) => ({ failure })
const after = (ms: number) => new Promise<null>((resolve) => setTimeout(resolve, ms, null))
/** Whether no server was reached, only a proxy at most. */
export const isAway = (failure: unknown): boolean => failure instanceof Failure && [0, 502, 504].includes(failure.status)

/** Stores a reply, or what an event stream has sent, under its request. */
export function keepSeen(request: Request, reply: unknown): void {
  noteOld(request, null)
  if (isSigningOut()) return
  const of = owner
  if (isProfile(request)) keepProfile(reply as Profile)
  if (isProfile(request) || of === NOBODY) return
  void write(({ keepReply, database }) => keepReply(database, of, JSON.stringify(request), reply, Date.now()))
}

/** Changes a stored reply; does nothing where there is none. */
export function changeSeen<T>(request: Request, change: (seen: T) => T): void {
  const of = owner
  void write(async ({ keepReply, keptReply, database }) => {
    const name = JSON.stringify(request)
    const seen = of === NOBODY ? undefined : await keptReply(database, of, name, Date.now())
    if (seen) await keepReply(database, of, name, change(seen.reply as T), seen.at)
  })
}

/**
 * The last write. Writes are done one after another, so that nothing is stored after it was to be forgotten; each when the browser is idle.
 */
let writing: Promise<unknown> = Promise.resolve()
function write(step: (stored: Awaited<ReturnType<typeof kept>>) => Promise<unknown>): Promise<unknown> {
  // The module may be unavailable: without a service worker it cannot be loaded while the server is away.
  writing = writing.then(idle).then(() => kept().then(step, () => {}))
  return writing
}
/** Resolves when everything is written. */
export const written = (): Promise<unknown> => writing

/** Notes who is signed in, and removes what was stored for others. */
export function keepProfile(profile: Profile): void {
  writeStored(SIGNED_IN, profile.id)
  const isOther = owner.userId !== profile.id
  own(profile)
  void write(async ({ keepReply, forgetReplies, thinReplies, database }) => {
    if (isOther) await forgetReplies(database, profile.id)
    if (isOther) await thinReplies(database, Date.now())
    await keepReply(database, NOBODY, PROFILE, profile, Date.now())
  })
}
/** Keeps the owner object where the same profile is read again, since pending requests compare it. */
function own({ id, school_id }: Profile): void {
  const schoolId = school_id ?? ''
  if (owner.userId !== id || owner.schoolId !== schoolId) owner = { userId: id, schoolId }
}
/** The id of the person who is signed in in this browser, for its other windows. */
const SIGNED_IN = 'markbook.signed-in'
/** False where somebody else has signed in in another window; this window has that session too. */
export const isSignedInAs = (userId: string): boolean => [userId, null].includes(readStored(SIGNED_IN))
/** Whether somebody was signed in in this browser, or is. */
export const wasSignedIn = (): boolean => readStored(SIGNED_IN) !== null
const PROFILE = JSON.stringify(['auth', 'me'])

/** The reply that the same person last saw; undefined where there is none. */
export async function lastSeen<T>(request: Request): Promise<T | undefined> {
  const found = await kept().catch(() => null)
  if (!found) return undefined
  const of = isProfile(request) ? NOBODY : owner
  const seen = await found.keptReply(found.database, of, isProfile(request) ? PROFILE : JSON.stringify(request), Date.now())
  if (!seen) return undefined
  if (isProfile(request)) own(seen.reply as Profile)
  noteOld(request, seen.at)
  return seen.reply as T
}

/** Removes everything that was stored: the person has signed out, or the session has ended. */
export async function forgetLastSeen(): Promise<void> {
  owner = NOBODY
  await write(({ forgetReplies, database }) => forgetReplies(database, null))
}
