import type { Profile } from '@markbook/shared/contract/auth'
import { Failure } from '@markbook/shared/failures'
import { useSyncExternalStore } from 'react'
import { readStored, writeStored } from '../components/browser-storage.ts'
import { Listeners } from './listeners.ts'
import { isSigningOut } from './signed-out.ts'

/** How long a reply is waited for before what was last seen is shown, ms. */
const PATIENCE = 4_000

/** Requests whose replies this browser keeps: those of the pages that teachers work on, and nothing about accounts and nodes. */
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

/** Whose replies these are. Before anybody is known: that of nobody, which holds the last profile. */
const NOBODY = { userId: '', schoolId: '' }
let owner = NOBODY

/** Loaded when it is first used: the sign-in page needs none of it. */
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

/** When the oldest was seen of what is shown and could not be read anew, ms; null where everything was. */
export const useOldestSeen = (): number | null => useSyncExternalStore(changes.add, oldestSeen)
const oldestSeen = () => (old.size === 0 ? null : Math.min(...[...old.values()].map(({ at }) => at)))
/** The requests of it. */
export const oldRequests = (): Request[] => [...old.values()].map(({ request }) => request)
/** It is shown no more. */
export const notShown = (request: Request): void => noteOld(request, null)
/** Whether it is unknown who is signed in by now. */
export const isProfileOld = (): boolean => old.has(PROFILE)

/**
 * The reply of the server, or, where it cannot be reached or takes long, the one that was last seen of the same person. `late` is called with a
 * reply that comes after that. Throws what `call` throws where nothing was seen.
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

/** What a refusal of the server ends; true where nobody is signed in any more. */
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
/** Nobody answered, or a proxy in place of the server. */
export const isAway = (failure: unknown): boolean => failure instanceof Failure && [0, 502, 504].includes(failure.status)

/** Keeps a reply, or what a stream of events has told, by the name of what was asked. */
export function keepSeen(request: Request, reply: unknown): void {
  noteOld(request, null)
  if (isSigningOut()) return
  const of = owner
  if (isProfile(request)) keepProfile(reply as Profile)
  if (isProfile(request) || of === NOBODY) return
  void write(({ keepReply, database }) => keepReply(database, of, JSON.stringify(request), reply, Date.now()))
}

/** Changes what was last seen, where there is some. */
export function changeSeen<T>(request: Request, change: (seen: T) => T): void {
  const of = owner
  void write(async ({ keepReply, keptReply, database }) => {
    const name = JSON.stringify(request)
    const seen = of === NOBODY ? undefined : await keptReply(database, of, name, Date.now())
    if (seen) await keepReply(database, of, name, change(seen.reply as T), seen.at)
  })
}

/** One after the other, so that nothing is kept after it was forgotten; each once the page has drawn what it was asked for. */
let writing: Promise<unknown> = Promise.resolve()
function write(step: (stored: Awaited<ReturnType<typeof kept>>) => Promise<unknown>): Promise<unknown> {
  // Without a worker a page that was not loaded yet cannot be had from a server that is away.
  writing = writing.then(idle).then(() => kept().then(step, () => {}))
  return writing
}
const idle = () =>
  new Promise<void>((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: MAX_WAIT })
    else setTimeout(resolve)
  })
/** How long a page that is busy may put off what is kept, ms. */
const MAX_WAIT = 500
/** Resolves once everything is written. */
export const written = (): Promise<unknown> => writing

/** Who is signed in: what was kept of somebody else goes. */
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
/** A profile that is read again changes nobody: what is asked for meanwhile is still of the same owner, by whom it is kept. */
function own({ id, school_id }: Profile): void {
  const schoolId = school_id ?? ''
  if (owner.userId !== id || owner.schoolId !== schoolId) owner = { userId: id, schoolId }
}
/** Who is signed in in this browser, for the other windows of it. */
const SIGNED_IN = 'markbook.signed-in'
/** False where somebody else has signed in in another window, whose session this one has too by now. */
export const isSignedInAs = (userId: string): boolean => [userId, null].includes(readStored(SIGNED_IN))
const PROFILE = JSON.stringify(['auth', 'me'])

/** What was last seen of the same person; undefined where nothing was. */
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

/** Removes all that was kept for when the server is away: the person has signed out, or was. */
export async function forgetLastSeen(): Promise<void> {
  owner = NOBODY
  await write(({ forgetReplies, database }) => forgetReplies(database, null))
}
