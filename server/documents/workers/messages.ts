import { Failure } from '@markbook/shared/failures'

/*
 * The messages between the server and a worker. A worker runs one task at a time. A running task may send the server a question: for the
 * next rows of a workbook, or to take a finished card. It waits for the answer, so at most one message is in transit.
 */

export type ToWorker = { kind: 'task'; name: string; input: unknown } | { kind: 'answer'; answer: unknown }
/** `started` is sent once, when the worker's program is loaded. */
export type FromWorker =
  | { kind: 'started' }
  | { kind: 'question'; question: unknown }
  | { kind: 'done'; value: unknown }
  | { kind: 'failed'; failure: PlainFailure | null; message: string }

/** The fields of a `Failure`, whose class structured cloning loses. */
type PlainFailure = Pick<Failure, 'status' | 'code' | 'issues' | 'headers'>

export function failureMessage(error: unknown): Extract<FromWorker, { kind: 'failed' }> {
  if (!(error instanceof Failure))
    return { kind: 'failed', failure: null, message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  const { status, code, message, issues, headers } = error
  return { kind: 'failed', failure: { status, code, issues, headers }, message }
}

export const errorOf = ({ failure, message }: Extract<FromWorker, { kind: 'failed' }>): Error =>
  failure === null ? new Error(`A document could not be made: ${message}`) : new Failure(failure.status, failure.code, message, failure)

/** Answers the questions of a task, in the server. */
export type AnswerQuestion = (question: never) => unknown

/** Sends the server a question and returns its answer. */
export type Ask<Question, Answer> = (question: Question) => Promise<Answer>
