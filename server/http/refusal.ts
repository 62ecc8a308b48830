import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Failure } from '@markbook/shared/failures'
import { failureBody, type HeaderList } from './replies.ts'

/** `ends`: the connection ends with the answer, because too much of the request is still to come. */
export type Told = { requestId: string; ends: boolean; headers?: HeaderList }

/**
 * Answers a failure without the app, for requests that never reach it: at three times what the server can do most of its requests
 * may end here, so it costs as little as can be.
 */
export function refuse(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  failure: Failure,
  { requestId, ends, headers = [] }: Told,
): void {
  if (outgoing.headersSent) return void incoming.socket.destroy()
  const text = failureBody(failure, requestId)
  const more = [...headers, ...Object.entries(failure.headers ?? {})]
  const all = [
    ...['content-type', 'application/json; charset=UTF-8', 'x-content-type-options', 'nosniff', 'cache-control', 'no-store'],
    ...['x-api-version', '1', 'x-request-id', requestId, 'content-length', String(Buffer.byteLength(text))],
    ...more.flat(),
    ...(ends ? ['connection', 'close'] : []),
  ]
  outgoing.writeHead(failure.status, all)
  outgoing.end(text)
}

/** The same on a connection whose request could not be read at all. */
export const rawRefusal = (failure: Failure, requestId: string, reason: string): string => {
  const text = failureBody(failure, requestId)
  const head = [
    `HTTP/1.1 ${failure.status} ${reason}`,
    'content-type: application/json; charset=UTF-8',
    'x-content-type-options: nosniff',
    'cache-control: no-store',
    `x-request-id: ${requestId}`,
    `content-length: ${Buffer.byteLength(text)}`,
    'connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${text}`
}
