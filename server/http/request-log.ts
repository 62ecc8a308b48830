import type { IncomingMessage } from 'node:http'
import { common, Failure } from '@markbook/shared/failures'
import { isId } from '@markbook/shared/ids'
import type { Reason, RequestSlot } from './limiter.ts'
import type { Log } from './log.ts'

/** A finished request. `input` is its query or body. */
export type Finished = {
  requestId: string
  actor: string | null
  address: () => string
  method: string
  route: string
  path: string
  input: unknown
  status: number
  ms: number
  failure: unknown
  /** The client disconnected before the reply. */
  isGone: boolean
}

/**
 * Logs one line for a request (docs/design/http.md): caller, route, status and time. Only words and ids of the path are kept, and only ids
 * of the input, so that no code, token, cookie or text of a person is logged.
 */
export function recordRequest(log: Log, finished: Finished): void {
  const { requestId, actor, address, method, route, path, input, status, ms, failure, isGone } = finished
  const isUnexpected = failure !== undefined && !(failure instanceof Failure) && !isGone
  const isRefused = isRefusedAccess(status, failure)
  const isAboutSignIn = isSignIn(method, route)
  // Most servers do not log ordinary requests, and building the line costs more than the rest of this function.
  if (!isUnexpected && !isRefused && !isAboutSignIn && log.isLevelEnabled?.('info') === false) return
  const target = status < 400 ? idsInPath(path) : [...new Set([...idsInPath(path), ...idsIn(input)])]
  const line = {
    request_id: requestId,
    actor,
    address: address(),
    method,
    route: route === 'none' ? wordsOf(path) : route,
    ...(target.length > 0 && { target }),
    status,
    ...(failure instanceof Failure && { reason: failure.code }),
    ...(isGone && { gone: true }),
    ms: tenths(ms),
    ...(isUnexpected && { err: failure }),
  }
  if (isUnexpected) log.error(line, 'request failed')
  else if (isRefused) log.warn(line, 'access refused')
  else if (isAboutSignIn) log.warn(line, 'sign-in')
  else log.info(line, 'request')
}

type Refused = { requestId: string; address: string; failure: Failure }

/** The log line of a request that was refused before the app. */
function lineOf({ method = '', url = '/' }: IncomingMessage, { requestId, address, failure }: Refused) {
  const [path = '/'] = url.split('?')
  return { request_id: requestId, actor: null, address, method, route: wordsOf(path), status: failure.status, reason: failure.code }
}

/** Logs a request that was refused before the app because of overload. One warning stands for many of them (see overload.ts). */
export function recordTurnedAway(log: Log, slot: RequestSlot, { requestId, reason }: { requestId: string; reason: Reason }): void {
  const line = lineOf(slot.incoming, { requestId, address: slot.client, failure: common.busy() })
  log.info({ ...line, turned_away: reason, ms: tenths(performance.now() - slot.since) }, 'request')
}

/** Logs a request for another host. One warning stands for many of them (see host-check.ts). */
export const recordMisdirected = (log: Log, incoming: IncomingMessage, refused: Refused): void =>
  log.info({ ...lineOf(incoming, refused), ms: 0 }, 'request')

const tenths = (ms: number) => Math.round(ms * 10) / 10

/** Refusals that are logged at the default level, for operators. A missing session is ordinary. */
const isRefusedAccess = (status: number, failure: unknown): boolean =>
  status === 403 || (status === 429 && failure instanceof Failure) || status === 507

/** Attempts to sign in, ends of sessions and changes of sign-in methods are logged at the default level, to investigate a theft. */
const isSignIn = (method: string, route: string): boolean =>
  method !== 'GET' && /^\/api\/(auth|schools\/members\/:userId\/(?:reset-sign-in|sessions))/.test(route) && !NO_SIGN_IN.test(route)
const NO_SIGN_IN = /^\/api\/auth\/(refresh|onboard|profile|notices)/

const segmentsOf = (path: string) => path.slice(0, 500).split('/').slice(0, 12)
const idsInPath = (path: string): string[] => segmentsOf(path).filter(isId)

/** The top-level ids of a query or body. */
function idsIn(input: unknown): string[] {
  if (typeof input !== 'object' || input === null) return []
  return (input instanceof URLSearchParams ? [...input.values()] : Object.values(input))
    .slice(0, 20)
    .filter((value): value is string => typeof value === 'string' && isId(value))
}

const isWord = (segment: string) => /^[A-Za-z][a-z.-]{0,31}$/.test(segment) || /^[\d.]{1,4}$/.test(segment) || segment === ''

/** The path with everything except plain words and ids removed. */
const wordsOf = (path: string): string =>
  segmentsOf(path)
    .map((segment) => (isWord(segment) || isId(segment) ? segment : '…'))
    .join('/')
