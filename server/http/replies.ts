import { Failure } from '@markbook/shared/failures'

const NAMES: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  426: 'Upgrade Required',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
  507: 'Insufficient Storage',
}

export type HeaderList = [string, string][]

const FIXED: HeaderList = [
  ['x-content-type-options', 'nosniff'],
  ['cache-control', 'no-store'],
]

export const jsonReply = (status: number, value: unknown, headers: HeaderList): Response =>
  new Response(JSON.stringify(value), { status, headers: [['content-type', 'application/json; charset=UTF-8'], ...FIXED, ...headers] })

/** A name that no header or file system can trip over, and the full one for browsers that read it. */
export const disposition = (filename: string): string =>
  `attachment; filename="${filename.replace(/[^A-Za-z0-9._-]+/g, '_')}"; filename*=UTF-8''${encodeURIComponent(filename)}`

export const fileReply = (
  status: number,
  file: { bytes: Uint8Array; contentType: string; filename: string },
  headers: HeaderList,
): Response =>
  new Response(file.bytes as never, {
    status,
    headers: [['content-type', file.contentType], ['content-disposition', disposition(file.filename)], ...FIXED, ...headers],
  })

/** The one shape of a refusal (decisions §1). What is no failure of ours says nothing of the inside. */
export function failureReply(error: unknown, requestId: string, headers: HeaderList): Response {
  if (!(error instanceof Failure)) {
    const message = `Something went wrong on the server. If it happens again, tell your administrator this number: ${requestId}`
    return jsonReply(500, { statusCode: 500, error: NAMES[500], code: 'internal', message, request_id: requestId }, headers)
  }
  const { status, code, message, issues } = error
  const inside = status >= 500 ? { request_id: requestId } : {}
  const body = { statusCode: status, error: NAMES[status] ?? 'Error', code, message, ...(issues ? { issues } : {}), ...inside }
  return jsonReply(status, body, [...headers, ...Object.entries(error.headers ?? {})])
}
