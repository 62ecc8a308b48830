import { common, Failure } from '@markbook/shared/failures'
import { CLOSED } from './close-for-good.ts'
import { UnknownOutcome } from './postgres.watch.ts'

type DriverError = { code?: string; message?: string; severity?: string }

/** The database refused a row because of a unique key (SQLite and Postgres have different codes). */
export const isUniqueViolation = (error: unknown): boolean => {
  const { code } = cause(error)
  return code === '23505' || code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY'
}

/** A foreign key failed: the parent row does not exist, or the row to delete is still referenced. */
export const isReferenceViolation = (error: unknown): boolean => {
  const { code } = cause(error)
  return code === '23503' || code === 'SQLITE_CONSTRAINT_FOREIGNKEY'
}

/** Two transactions conflicted (a deadlock, for example), and either may be run again. */
export const isRetryable = (error: unknown): boolean => {
  const { code } = cause(error)
  return code === '40001' || code === '40P01'
}

/** The connection of a transaction was lost. */
export const isLost = (error: unknown): boolean => LOST.includes(cause(error).code ?? '') || isOfPooler(cause(error))
const LOST = ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'CONNECTION_CLOSED', 'CONNECTION_DESTROYED', 'NO_ANSWER', '57P01', '57P02', '25P03']

/** PgBouncer uses one code where the server behind it is gone or does not answer in time, and closes the connection. */
const isOfPooler = ({ code, severity }: DriverError) => code === '08P01' && severity === 'FATAL'

/** The error is about a statement: Postgres's driver attached the query. */
export const isOfStatement = (error: unknown): boolean => 'query' in cause(error)

/** The database server is down, starting or stopping; the request itself is not at fault. */
const isAway = (error: unknown): boolean => isLost(error) || NOT_THERE.includes(cause(error).code ?? '')
const NOT_THERE = [
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'CONNECTION_ENDED',
  'CONNECT_TIMEOUT',
  '57P03',
  '53300',
]

/** The disk is full, wherever it was noticed first: in the WAL, its index, or files of the database server. */
export const isFull = (error: unknown): boolean => FULL.has(cause(error).code ?? '')
const FULL = new Set(['SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_IOERR_FSYNC', 'SQLITE_IOERR_SHMSIZE', '53100'])

/** The row itself was at fault; false where the machine or another transaction was. */
export const isOfRow = (error: unknown): boolean =>
  !isFull(error) &&
  !isRetryable(error) &&
  !isAway(error) &&
  !isTooLong(error) &&
  !/^SQLITE_(IOERR|CORRUPT|NOMEM|BUSY|READONLY)/.test(cause(error).code ?? '')

/** A statement took too long, or waited too long for a row lock (see `lockWait`). */
const isTooLong = (error: unknown): boolean => ['57014', '55P03'].includes(cause(error).code ?? '')

/** The driver's error, which Drizzle wraps. */
const cause = (error: unknown): DriverError => {
  const outer = error as DriverError & { cause?: DriverError }
  return outer?.code ? outer : (outer?.cause ?? outer ?? {})
}

/** Row-level security refused the row. */
const isRightViolation = (error: unknown): boolean => cause(error).code === '42501'

/**
 * The database refused what this transaction's own checks had passed, because another transaction committed meanwhile. When it is run
 * again, the checks find the cause and name it.
 */
export const isOvertaken = (error: unknown): boolean => isUniqueViolation(error) || isReferenceViolation(error) || isRightViolation(error)

/** This laptop is about to be erased (`closeForGood`). */
const isClosed = (error: unknown): boolean => cause(error).message === CLOSED

/** Turns a constraint violation that no check explains into a conflict (409) rather than a fault of the server. */
export const toFailure = (error: unknown): unknown => {
  if (error instanceof Failure) return error
  if (error instanceof UnknownOutcome) return common.outcomeUnknown({ headers: { 'retry-after': '5' } })
  if (isAway(error))
    return common.busy({ message: 'The database does not answer. Please try again in a moment.', headers: { 'retry-after': '5' } })
  if (isFull(error)) return common.storageFull()
  if (isClosed(error)) return common.erased()
  if (isTooLong(error)) return common.busy({ headers: { 'retry-after': '2' } })
  if (isUniqueViolation(error)) return common.duplicate()
  return isReferenceViolation(error) ? common.changedMeanwhile() : error
}
