import { Failure } from '@markbook/shared/failures'

/*
 * What passes between the server and a worker. A worker has one task at a time. While it runs, the task may ask the server a question:
 * for the next rows of a workbook, or to take a card that is drawn. It waits for the answer, which limits the messages in flight to one.
 */

export type ToWorker = { kind: 'task'; name: string; input: unknown } | { kind: 'answer'; answer: unknown }
/** `started` is sent once, when the program of the worker is loaded. */
export type FromWorker =
  | { kind: 'started' }
  | { kind: 'question'; question: unknown }
  | { kind: 'done'; value: unknown }
  | { kind: 'failed'; failure: PlainFailure | null; message: string }

/** The fields of a `Failure`: structured cloning loses its class. */
type PlainFailure = Pick<Failure, 'status' | 'code' | 'issues' | 'headers'>

export function failureMessage(error: unknown): Extract<FromWorker, { kind: 'failed' }> {
  if (!(error instanceof Failure))
    return { kind: 'failed', failure: null, message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  const { status, code, message, issues, headers } = error
  return { kind: 'failed', failure: { status, code, issues, headers }, message }
}

export const errorOf = ({ failure, message }: Extract<FromWorker, { kind: 'failed' }>): Error =>
  failure === null ? new Error(`A document could not be made: ${message}`) : new Failure(failure.status, failure.code, message, failure)

/** The server's side of a question. */
export type AnswerQuestion = (question: never) => unknown

/** Asks the server a question and waits for its answer. */
export type Ask<Question, Answer> = (question: Question) => Promise<Answer>
