import { contract, desktopContract } from 'virtual:contract'
import { clientOf } from '@markbook/shared/contract/client'
import { Failure } from '@markbook/shared/failures'
import { serverAnswered } from './event-stream.ts'
import { askForProof, needsProof } from './fresh-proof.ts'
import { signedIn, signedOut } from './signed-out.ts'

/** Without a reply it is unknown whether the server handled the request. */
const unreachable = () => new Failure(0, 'unreachable', 'The server cannot be reached.')

/** A copy of an upload would need its memory twice, and no endpoint for uploads asks for a proof. */
const isRepeatable = (request: Request) => !request.headers.get('content-type')?.startsWith('multipart/')

const sendWithin = (ms: number | null) => {
  const sendOnce = (request: Request) =>
    fetch(request, ms === null ? {} : { signal: AbortSignal.timeout(ms) }).catch(() => {
      throw unreachable()
    })
  return async (request: Request) => {
    const again = isRepeatable(request) ? request.clone() : null
    const first = await sendOnce(request)
    const isNeeded = again !== null && (await needsProof(first))
    return noted(again && isNeeded && (await askForProof()) ? await sendOnce(again) : first)
  }
}

function noted(response: Response): Response {
  // 502 comes from a proxy while the server is down.
  if (response.status < 500) serverAnswered()
  if (response.status === 401) signedOut()
  // The person may have signed in again in another window.
  else if (response.ok && response.url.endsWith('/api/auth/me')) signedIn()
  return response
}

/**
 * A typed client for the whole contract: `client.terms.list({ query: { yearId } })`. Throws a `Failure`; its status is 0 without a reply.
 */
export const client = clientOf(contract, { baseUrl: location.origin, send: sendWithin(null) })
const TIMEOUT_MS = 20_000
/** The same with a timeout, for requests that are retried automatically. */
export const promptClient = clientOf(contract, { baseUrl: location.origin, send: sendWithin(TIMEOUT_MS) })
/** The endpoints of the desktop app's own window, before a sign-in. */
export const { desktop: desktopClient } = clientOf({ desktop: desktopContract }, { baseUrl: location.origin, send: sendWithin(null) })
