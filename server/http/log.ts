import { type DestinationStream, type Logger, pino } from 'pino'

/** Writes one line of JSON for each event. */
export type Log = Pick<Logger, 'info' | 'warn' | 'error'> & Partial<Pick<Logger, 'isLevelEnabled'>>

/** Bytes of lines that wait for a slow reader of the log; beyond them lines are dropped, so that requests do not wait. */
const WAITING = 4_194_304

/**
 * Standard error, so that messages for people on standard output stay readable. Written asynchronously: a slow reader of the log delays
 * no request.
 */
function standardError(): DestinationStream {
  const destination = pino.destination({ dest: 2, sync: false, maxLength: WAITING })
  // Where the log cannot be written, because its disk is full, lines wait until there is space.
  destination.on('error', () => {})
  return destination
}

export const jsonLog = (level: string, destination: DestinationStream = standardError()): Log =>
  pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorFields },
    },
    destination,
  )

export const silentLog: Log = { info() {}, warn() {}, error() {} }

type Thrown = {
  name?: string
  code?: unknown
  message?: string
  stack?: string
  query?: unknown
  cause?: unknown
  constraint_name?: unknown
}

const LONGEST = 500
const FRAMES = 12

/**
 * Type, place and message of an error, without secrets. Drivers put the values of a statement into messages and fields, among them codes,
 * tokens and marks. So only the text of a failed statement is kept, and a message without quoted values.
 */
export function errorFields(error: unknown, depth = 0): { type: string; message: string; [more: string]: unknown } {
  if (typeof error !== 'object' || error === null) return { type: typeof error, message: withoutSecrets(String(error)) }
  const { name = 'Error', code, message = '', stack, query, cause, constraint_name } = error as Thrown
  const isStatement = typeof query === 'string'
  const frames = (stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return {
    type: String(name),
    message: isStatement ? 'the database refused a statement' : withoutSecrets(String(message)),
    ...(code !== undefined && { code: withoutSecrets(String(code)) }),
    ...(constraint_name !== undefined && { constraint: withoutSecrets(String(constraint_name)) }),
    ...(isStatement && { statement: query.slice(0, LONGEST) }),
    ...(frames.length > 0 && { stack: frames.slice(0, FRAMES).map((line) => line.trim().slice(0, LONGEST)) }),
    ...(cause !== undefined && depth < 3 && { cause: errorFields(cause, depth + 1) }),
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Ids, which are kept; then e-mail addresses, and what may be a code or a token. */
const PIECES = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[^\s@"'<>(),;]+@[^\s@"'<>(),;]+|\d[\d -]{4,}\d|[\w+=-]{24,}/g

/** Removes e-mail addresses and what may be a code, a token or a cookie from a text. */
export const withoutSecrets = (text: string): string => text.slice(0, LONGEST).replace(PIECES, (piece) => (UUID.test(piece) ? piece : '…'))
