import { STATUS_CODES } from 'node:http'
import { Failure } from '@markbook/shared/failures'

export type HeaderList = [string, string][]

export const JSON_TYPE: [string, string] = ['content-type', 'application/json; charset=UTF-8']
export const FIXED_HEADERS: HeaderList = [
  ['x-content-type-options', 'nosniff'],
  ['cache-control', 'no-store'],
]

export const jsonReply = (status: number, value: unknown, headers: HeaderList): Response =>
  jsonTextReply(status, JSON.stringify(value), headers)

/** The same for a value that is already JSON text. */
export const jsonTextReply = (status: number, text: string, headers: HeaderList): Response =>
  new Response(text, { status, headers: compact([JSON_TYPE, ...FIXED_HEADERS, ...headers]) })

/** A reply that is already JSON in the shape of the contract. */
export class ReadyText {
  constructor(readonly json: string) {}
}

/** A record where possible: building `Headers` from a list costs more than the rest of a small reply. A repeated name needs the list. */
function compact(headers: HeaderList): HeaderList | Record<string, string> {
  const record: Record<string, string> = {}
  for (const [name, value] of headers) {
    if (name in record) return headers
    record[name] = value
  }
  return record
}

/** The one form of a refusal (decisions §1). For an unexpected error it reveals nothing internal. */
export function failureReply(error: unknown, requestId: string, headers: HeaderList): Response {
  if (!(error instanceof Failure)) {
    const message = `Something went wrong on the server. If it happens again, tell your administrator this number: ${requestId}`
    return jsonReply(500, { statusCode: 500, error: STATUS_CODES[500], code: 'internal', message, request_id: requestId }, headers)
  }
  return jsonReply(error.status, bodyOf(error, requestId), [...headers, ...Object.entries(error.headers ?? {})])
}

const bodyOf = ({ status, code, message, issues }: Failure, requestId: string) => {
  const inside = status >= 500 ? { request_id: requestId } : {}
  return { statusCode: status, error: STATUS_CODES[status] ?? 'Error', code, message, ...(issues ? { issues } : {}), ...inside }
}

/** The same as text, for a request that is refused before it reaches the app. */
export const failureBody = (failure: Failure, requestId: string): string => JSON.stringify(bodyOf(failure, requestId))
