import { contract } from 'virtual:contract'
import { clientOf } from '@markbook/shared/contract/client'
import { Failure } from '@markbook/shared/failures'
import { signedIn, signedOut } from './signed-out.ts'

/** The server could not be reached at all. Nothing is known of what became of the request. */
export const unreachable = () => new Failure(0, 'unreachable', 'The server cannot be reached.')

const sendWithin = (ms: number | null) => async (request: Request) => {
  const response = await fetch(request, ms === null ? {} : { signal: AbortSignal.timeout(ms) }).catch(() => {
    throw unreachable()
  })
  if (response.status === 401) signedOut()
  // Also where somebody signed in again in another window.
  else if (response.ok && request.url.endsWith('/api/auth/me')) signedIn()
  return response
}

/** The whole contract, typed: `client.terms.list({ query: { yearId } })`. Throws a `Failure`, with status 0 where nobody answers. */
export const client = clientOf(contract, { baseUrl: location.origin, send: sendWithin(null) })
/** The same for what is tried again by itself: a line that is dead and does not say so is given up after so long, ms. */
const PATIENCE = 20_000
export const promptClient = clientOf(contract, { baseUrl: location.origin, send: sendWithin(PATIENCE) })
export type AppClient = typeof client
