import { contract, desktopContract } from 'virtual:contract'
import { clientOf } from '@markbook/shared/contract/client'
import { Failure } from '@markbook/shared/failures'
import { serverAnswered } from './event-stream.ts'
import { askForProof, needsProof } from './fresh-proof.ts'
import { signedIn, signedOut } from './signed-out.ts'

/** No answer: whether the server took the request is unknown. */
const unreachable = () => new Failure(0, 'unreachable', 'The server cannot be reached.')

/** A file that is uploaded would be held twice; no endpoint that takes one asks for a proof. */
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
  // A proxy answers with 502 while the server is away.
  if (response.status < 500) serverAnswered()
  if (response.status === 401) signedOut()
  // Somebody may have signed in again in another window.
  else if (response.ok && response.url.endsWith('/api/auth/me')) signedIn()
  return response
}

/** The whole contract, typed: `client.terms.list({ query: { yearId } })`. Throws a `Failure`, with status 0 where nobody answers. */
export const client = clientOf(contract, { baseUrl: location.origin, send: sendWithin(null) })
const TIMEOUT_MS = 20_000
/** The same with a time-out, for requests that are retried automatically. */
export const promptClient = clientOf(contract, { baseUrl: location.origin, send: sendWithin(TIMEOUT_MS) })
/** The endpoints for the desktop app's own window, before anybody has signed in. */
export const { desktop: desktopClient } = clientOf({ desktop: desktopContract }, { baseUrl: location.origin, send: sendWithin(null) })
