import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { FIXED_HEADERS, failureBody, type HeaderList, JSON_TYPE } from './replies.ts'

export const API_VERSION: HeaderList[number] = ['x-api-version', '1']
/** Closes the connection after the reply. */
export const LAST: HeaderList[number] = ['connection', 'close']

export const badRequest = () => new Failure(400, 'bad_request', 'This is not a request that the server can read.')

/** The announced bytes of a body; the maximum for one without a length. */
export function announcedBytes({ headers, complete }: IncomingMessage): number {
  if (complete) return 0
  if (headers['content-length'] !== undefined) return Math.min(Number(headers['content-length']) || 0, limits.body.importBytes)
  return headers['transfer-encoding'] === undefined ? 0 : limits.body.importBytes
}

/** Replies without the app, and returns the id of the request. In an overload most requests may end here, so it is kept cheap. */
export function refuse(outgoing: ServerResponse, failure: Failure, headers: HeaderList): string {
  const requestId = randomUUID()
  if (outgoing.headersSent) outgoing.destroy()
  else {
    const text = failureBody(failure, requestId)
    const own: HeaderList = [
      ['x-request-id', requestId],
      ['content-length', String(Buffer.byteLength(text))],
    ]
    outgoing.writeHead(failure.status, [JSON_TYPE, ...FIXED_HEADERS, ...own, ...headers].flat())
    outgoing.end(text)
  }
  return requestId
}
