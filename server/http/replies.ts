import { Failure } from '@markbook/shared/failures'

const NAMES: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  426: 'Upgrade Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
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
  jsonTextReply(status, JSON.stringify(value), headers)

/** The same of a value that is text already. */
export const jsonTextReply = (status: number, text: string, headers: HeaderList): Response =>
  new Response(text, { status, headers: sent([['content-type', 'application/json; charset=UTF-8'], ...FIXED, ...headers]) })

/** A reply that is JSON already and in the shape of the contract. */
export class ReadyText {
  constructor(readonly json: string) {}
}

/** As a record, which goes out as it is; building `Headers` of a list costs more than the rest of a small reply. A name that comes twice needs the list. */
function sent(headers: HeaderList): HeaderList | Record<string, string> {
  const record: Record<string, string> = {}
  for (const [name, value] of headers) {
    if (name in record) return headers
    record[name] = value
  }
  return record
}

/** The one shape of a refusal (decisions §1). What is no failure of ours says nothing of the inside. */
export function failureReply(error: unknown, requestId: string, headers: HeaderList): Response {
  if (!(error instanceof Failure)) {
    const message = `Something went wrong on the server. If it happens again, tell your administrator this number: ${requestId}`
    return jsonReply(500, { statusCode: 500, error: NAMES[500], code: 'internal', message, request_id: requestId }, headers)
  }
  return jsonReply(error.status, bodyOf(error, requestId), [...headers, ...Object.entries(error.headers ?? {})])
}

const bodyOf = ({ status, code, message, issues }: Failure, requestId: string) => {
  const inside = status >= 500 ? { request_id: requestId } : {}
  return { statusCode: status, error: NAMES[status] ?? 'Error', code, message, ...(issues ? { issues } : {}), ...inside }
}

/** The same as text, for a request that is answered before it reaches the app. */
export const failureBody = (failure: Failure, requestId: string): string => JSON.stringify(bodyOf(failure, requestId))
