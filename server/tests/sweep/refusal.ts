import { z } from 'zod'
import type { Answer } from '../../testing/ask.ts'

const NAMES: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
}
const Refusal = z.strictObject({
  statusCode: z.int(),
  error: z.string(),
  code: z.string().regex(/^([a-z_]+\.)?[a-z_]+$/),
  message: z.string().regex(/^\p{Lu}.*[.]$/u),
  issues: z
    .array(z.strictObject({ path: z.string(), message: z.string().min(1) }))
    .nonempty()
    .optional(),
})

/** What is wrong with the shape of a refusal (decisions §1, errors); empty where nothing is. */
export function faultsOf({ status, text, headers }: Answer): string[] {
  if (status >= 500) return [`${status}: ${text.slice(0, 200)}`]
  if (status < 400) return [`${status} is no refusal`]
  const parsed = Refusal.safeParse(jsonOf(text))
  if (!parsed.success) return [`${status}: not the one shape: ${text.slice(0, 200)} ${z.prettifyError(parsed.error)}`]
  const { statusCode, error } = parsed.data
  const all = headers.toLowerCase()
  return [
    ...(statusCode === status && error === NAMES[status] ? [] : [`${status} says ${statusCode} ${error}`]),
    ...(all.includes('application/json') && all.includes('nosniff') ? [] : [`${status} has the headers ${headers}`]),
  ]
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'latin1').toString('utf8'))
  } catch {
    return undefined
  }
}

/** The status and code, or what is wrong with the refusal itself. */
export const refusalOf = (told: Answer): string => [`${told.status} ${told.code}`, ...faultsOf(told)].join('; ')
