import { limits } from '@markbook/shared/limits'

/** The form in which the driver reports a lost connection. */
class NoAnswer extends Error {
  readonly code = 'NO_ANSWER'
}

/** A commit was sent and not answered, so nobody knows whether it was done. `cause` is why the wait ended. */
export class UnknownOutcome extends Error {}

/** The unanswered statements of one transaction, or one single statement. */
export class Waiting {
  /** The number of unanswered statements. */
  private outstanding = 0
  /** Milliseconds since the last statement or answer, without time in which this process was suspended. */
  waited = 0
  isCommitting = false
  lost: Error | null = null
  private reject: (error: Error) => void = () => {}
  /** Rejects when the wait is abandoned. */
  readonly abandoned = new Promise<never>((_, reject) => {
    this.reject = reject
  })

  constructor(private readonly answers: () => void = () => {}) {}

  asked(): void {
    if (this.outstanding === 0) this.waited = 0
    this.outstanding += 1
  }
  answered(): void {
    this.outstanding -= 1
    this.waited = 0
    this.answers()
  }
  /** Counts a query of the driver until it is answered. That does not send it: the driver does when the query's own `then` is called. */
  readonly answerOf = <Query extends Promise<unknown>>(query: Query): Query => {
    this.asked()
    const answered = () => this.answered()
    void Promise.prototype.then.call(query, answered, answered)
    return query
  }
  pass(ms: number): void {
    if (this.outstanding > 0) this.waited += ms
  }
  lose(error: Error): void {
    this.lost ??= error
    this.reject(error)
  }
}

/** Watches statements that wait for answers of a database. */
export type DatabaseWatch = {
  /** Runs `work`. Rejects at once while the database is known not to answer, and as soon as that is found during `work`. */
  during<T>(work: (waiting: Waiting) => Promise<T>): Promise<T>
  isSilent(): boolean
  close(): void
}

export type Times = Record<'checkEveryMs' | 'probeAfterMs' | 'probeTimeoutMs' | 'graceMs', number>

/**
 * A long statement and a database that hangs look alike (docs/design/store.md). So once a statement has waited for `probeAfterMs`, a short
 * query is sent on another connection. If within `probeTimeoutMs` neither that nor any other statement is answered, all waiting statements
 * are rejected (`lose` closes the connections), and new ones are refused until the database answers again.
 *
 * `ask` resolves once the database has answered anything, and stops on its signal. `longest`: of one statement, ms.
 */
export function watchDatabase(
  ask: (signal: AbortSignal) => Promise<unknown>,
  lose: () => void,
  longest: number,
  times: Times = limits.postgres,
): DatabaseWatch {
  const waits = new Set<Waiting>()
  let answers = 0
  let isAsking = false
  let isSilent = false
  let isClosed = false
  const answered = () => {
    answers += 1
  }

  const look = () => {
    for (const waiting of waits) {
      waiting.pass(times.checkEveryMs)
      if (waiting.waited > longest + times.graceMs) waiting.lose(new NoAnswer('a statement was not answered'))
    }
    if (!isAsking && [...waits].some(({ waited }) => waited >= times.probeAfterMs)) void examine()
  }
  const examine = async () => {
    isAsking = true
    const before = answers
    if (!(await isAnswered(ask, times)) && answers === before && !isClosed) {
      isSilent = true
      for (const waiting of waits) waiting.lose(new NoAnswer('the database does not answer'))
      lose()
      while (isSilent && !isClosed) isSilent = !(await isAnswered(ask, times))
    }
    isAsking = false
  }
  const timer = setInterval(look, times.checkEveryMs).unref()

  return {
    async during(work) {
      if (isSilent) throw new NoAnswer('the database does not answer')
      const waiting = new Waiting(answered)
      waits.add(waiting)
      try {
        return await Promise.race([work(waiting), waiting.abandoned])
      } finally {
        waits.delete(waiting)
      }
    },
    isSilent: () => isSilent,
    close() {
      isClosed = true
      clearInterval(timer)
    },
  }
}

async function isAnswered(ask: (signal: AbortSignal) => Promise<unknown>, times: Times): Promise<boolean> {
  const giveUp = new AbortController()
  const asked = ask(giveUp.signal).then(
    () => true,
    () => !giveUp.signal.aborted,
  )
  const late = patience(times).then(() => false)
  const isThere = await Promise.race([asked, late])
  giveUp.abort()
  return isThere
}

/** Waits in steps; a step during which this process was suspended counts once. Answers received meanwhile are processed first. */
async function patience({ probeTimeoutMs, checkEveryMs }: Times): Promise<void> {
  for (let waited = 0; waited < probeTimeoutMs; waited += checkEveryMs) await new Promise((resolve) => setTimeout(resolve, checkEveryMs))
  await new Promise((resolve) => setImmediate(resolve))
}
