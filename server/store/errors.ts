import { common, Failure } from '@markbook/shared/failures'
import { CLOSED } from './close-for-good.ts'
import { UnknownOutcome } from './postgres.watch.ts'

type DriverError = { code?: string; message?: string; constraint_name?: string; severity?: string }

/** True where the database refused a row because an equal one exists (SQLite and Postgres say it differently). */
export const isUniqueViolation = (error: unknown): boolean => {
  const { code } = cause(error)
  return code === '23505' || code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY'
}

/** True where the database refused a row whose parent has gone, or the end of a row that another still names. */
export const isReferenceViolation = (error: unknown): boolean => {
  const { code } = cause(error)
  return code === '23503' || code === 'SQLITE_CONSTRAINT_FOREIGNKEY'
}

/** True where two transactions stood in each other's way and either may be tried again. */
export const isRetryable = (error: unknown): boolean => {
  const { code } = cause(error)
  return code === '40001' || code === '40P01'
}

/** True where the connection of a transaction is lost. */
export const isLost = (error: unknown): boolean => LOST.includes(cause(error).code ?? '') || isOfPooler(cause(error))
const LOST = ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'CONNECTION_CLOSED', 'CONNECTION_DESTROYED', 'NO_ANSWER', '57P01', '57P02', '25P03']

/** PgBouncer says with one code that the server behind it is gone, or not to be had in time; it ends the connection then. */
const isOfPooler = ({ code, severity }: DriverError) => code === '08P01' && severity === 'FATAL'

/** True for what the driver of Postgres says of a statement: it names the statement. */
export const isOfStatement = (error: unknown): boolean => 'query' in cause(error)

/** True where the database server is away, starting or stopping: nothing is wrong with what was asked. */
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

/** True where the disk took no more, whichever write met it first: of the log, its index, or what the database server keeps. */
export const isFull = (error: unknown): boolean => FULL.has(cause(error).code ?? '')
const FULL = new Set(['SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_IOERR_FSYNC', 'SQLITE_IOERR_SHMSIZE', '53100'])

/** True where a row was refused for what it is; false where the machine or another transaction was in the way of the whole. */
export const isOfRow = (error: unknown): boolean =>
  !isFull(error) &&
  !isRetryable(error) &&
  !isAway(error) &&
  !isTooLong(error) &&
  !/^SQLITE_(IOERR|CORRUPT|NOMEM|BUSY|READONLY)/.test(cause(error).code ?? '')

/** True where a statement took too long, or waited too long for a row of another transaction (see `lockWait`). */
const isTooLong = (error: unknown): boolean => ['57014', '55P03'].includes(cause(error).code ?? '')

/** Drizzle wraps what the driver threw. */
const cause = (error: unknown): DriverError => {
  const outer = error as DriverError & { cause?: DriverError }
  return outer?.code ? outer : (outer?.cause ?? outer ?? {})
}

/** True where row-level security refused a row: whoever writes it has no right to it. */
const isRightViolation = (error: unknown): boolean => cause(error).code === '42501'

/**
 * True where the database refused what this transaction's own checks had let pass: somebody else committed in between. Run again,
 * the checks see it and say what is wrong.
 */
export const isOvertaken = (error: unknown): boolean => isUniqueViolation(error) || isReferenceViolation(error) || isRightViolation(error)

/** True where this laptop is about to be erased (`closeForGood`). */
const isClosed = (error: unknown): boolean => cause(error).message === CLOSED

/** A violation that no check explains is a conflict for the caller, not a fault of the server. */
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
