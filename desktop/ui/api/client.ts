import { contract } from 'virtual:contract'
import { clientOf } from '@markbook/shared/contract/client'
import { Failure } from '@markbook/shared/failures'

/** The server could not be reached at all. Nothing is known of what became of the request. */
export const unreachable = () => new Failure(0, 'unreachable', 'The server cannot be reached.')

async function send(request: Request): Promise<Response> {
  try {
    return await fetch(request)
  } catch {
    throw unreachable()
  }
}

/** The whole contract, typed: `client.terms.list({ query: { yearId } })`. Throws a `Failure`, with status 0 where nobody answers. */
export const client = clientOf(contract, { baseUrl: location.origin, send })
export type AppClient = typeof client
