import type { IncomingMessage } from 'node:http'
import { Failure } from '@markbook/shared/failures'
import { isId } from '@markbook/shared/ids'
import type { Reason } from './admission.ts'
import type { Log } from './log.ts'

/** A finished request, as the app knows it. `asked` is what it named beside its path. */
export type Finished = {
  requestId: string
  actor: string | null
  address: string
  method: string
  route: string
  path: string
  asked: unknown
  status: number
  ms: number
  failure: unknown
  /** The client went before there was an answer. */
  isGone: boolean
}

/**
 * One line for one request (decision 237): who asked for what, what became of it and how long it took. Only words and ids of a path are
 * kept, and of what was sent only ids, so that no code, token, cookie or text of a person can get in.
 */
export function recordRequest(log: Log, finished: Finished): void {
  const { requestId, actor, address, method, route, path, asked, status, ms, failure, isGone } = finished
  const target = status < 400 ? idsInPath(path) : [...new Set([...idsInPath(path), ...idsIn(asked)])]
  const isUnexpected = failure !== undefined && !(failure instanceof Failure) && !isGone
  const line = {
    request_id: requestId,
    actor,
    address,
    method,
    route: route === 'none' ? wordsOf(path) : route,
    ...(target.length > 0 && { target }),
    status,
    ...(failure instanceof Failure && { reason: failure.code }),
    ...(isGone && { gone: true }),
    ms: Math.round(ms * 10) / 10,
    ...(isUnexpected && { err: failure }),
  }
  if (isUnexpected) log.error(line, 'request failed')
  else if (isRefusedAccess(status, failure)) log.warn(line, 'access refused')
  else log.info(line, 'request')
}

/** A request that never reached the app, because there was too much to do. One warning tells of many of them (see gate.ts). */
export function recordTurnedAway(
  log: Log,
  {
    requestId,
    client,
    incoming,
    waitedMs,
    reason,
  }: { requestId: string; client: string; incoming: IncomingMessage; waitedMs: number; reason: Reason },
): void {
  const { method = '', url = '/' } = incoming
  const [path = '/'] = url.split('?')
  const line = { request_id: requestId, actor: null, address: client, method, route: wordsOf(path), status: 503, reason: 'busy' }
  log.info({ ...line, turned_away: reason, ms: Math.round(waitedMs * 10) / 10 }, 'request')
}

/** Somebody was refused what others may: an operator sees it without asking. A missing session is every morning's first request. */
const isRefusedAccess = (status: number, failure: unknown): boolean =>
  status === 403 || (status === 429 && failure instanceof Failure) || status === 507

const segmentsOf = (path: string) => path.slice(0, 500).split('/').slice(0, 12)
const idsInPath = (path: string): string[] => segmentsOf(path).filter(isId)

/** The ids that a query or body names at its top. */
function idsIn(asked: unknown): string[] {
  if (typeof asked !== 'object' || asked === null) return []
  return (asked instanceof URLSearchParams ? [...asked.values()] : Object.values(asked))
    .slice(0, 20)
    .filter((value): value is string => typeof value === 'string' && isId(value))
}

const isWord = (segment: string) => /^[A-Za-z][a-z.-]{0,31}$/.test(segment) || /^[\d.]{1,4}$/.test(segment) || segment === ''

/** A path of which only plain words and ids are left. */
const wordsOf = (path: string): string =>
  segmentsOf(path)
    .map((segment) => (isWord(segment) || isId(segment) ? segment : '…'))
    .join('/')
