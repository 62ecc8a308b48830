import { Failure } from '@markbook/shared/failures'

/*
 * What passes between the server and a worker. A worker has one task at a time. While it works it may ask: for the next rows of a
 * workbook, or to be rid of a card that is drawn. It waits for the answer, so that neither side is ever flooded by the other.
 */

export type ToWorker = { kind: 'task'; name: string; input: unknown } | { kind: 'answer'; answer: unknown }
export type FromWorker =
  | { kind: 'asked'; question: unknown }
  | { kind: 'done'; value: unknown }
  | { kind: 'failed'; failure: Told | null; message: string }

/** A `Failure` as it crosses, since its class does not. */
type Told = Pick<Failure, 'status' | 'code' | 'issues' | 'headers'>

export function toldOf(error: unknown): Extract<FromWorker, { kind: 'failed' }> {
  if (!(error instanceof Failure))
    return { kind: 'failed', failure: null, message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  const { status, code, message, issues, headers } = error
  return { kind: 'failed', failure: { status, code, issues, headers }, message }
}

export const errorOf = ({ failure, message }: Extract<FromWorker, { kind: 'failed' }>): Error =>
  failure === null ? new Error(`A document could not be made: ${message}`) : new Failure(failure.status, failure.code, message, failure)

/** Asks the server's side something and waits for what it answers. */
export type Ask<Question, Answer> = (question: Question) => Promise<Answer>
