import { limits } from '@markbook/shared/limits'

/** As the driver says it of a connection that is lost. */
class NoAnswer extends Error {
  readonly code = 'NO_ANSWER'
}

/** A commit was sent, and no answer came: whether it was done nobody knows. `cause` is what ended the waiting. */
export class UnknownOutcome extends Error {}

/** What one transaction, or one statement alone, waits for. */
export class Waiting {
  /** So many answers are outstanding. */
  private outstanding = 0
  /** Since it asked or was answered, ms, without the time in which this process stood still itself. */
  waited = 0
  isCommitting = false
  lost: Error | null = null
  private reject: (error: Error) => void = () => {}
  /** Rejects where the answer is waited for no longer. */
  readonly given = new Promise<never>((_, reject) => {
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
  /** Waits for a query of the driver, which is not sent by that: it sends itself when somebody takes its answer. */
  readonly of = <Query extends Promise<unknown>>(query: Query): Query => {
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

/** Watches over what waits for answers of a database. */
export type DatabaseWatch = {
  /** Does `work`. Rejects at once where the database does not answer, and as soon as it is found not to. */
  during<T>(work: (waiting: Waiting) => Promise<T>): Promise<T>
  isSilent(): boolean
  close(): void
}

export type Times = Record<'look' | 'suspect' | 'answer' | 'grace', number>

/**
 * A statement may be long, and a database that does not answer looks the same (docs/design/store.md). So where one has waited for `suspect`
 * the database is asked something short on another connection; where that is not answered within `answer`, and meanwhile nobody else was
 * either, all that waits is lost (`lose` takes the connections away), and what comes is refused until it answers again.
 *
 * `ask` resolves once the database answered, whatever it said, and gives up when told so. `longest`: of one statement, ms.
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
      waiting.pass(times.look)
      if (waiting.waited > longest + times.grace) waiting.lose(new NoAnswer('a statement was not answered'))
    }
    if (!isAsking && [...waits].some(({ waited }) => waited >= times.suspect)) void examine()
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
  const timer = setInterval(look, times.look).unref()

  return {
    async during(work) {
      if (isSilent) throw new NoAnswer('the database does not answer')
      const waiting = new Waiting(answered)
      waits.add(waiting)
      try {
        return await Promise.race([work(waiting), waiting.given])
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

/** In steps, of which one that this process slept through counts once; what came in meanwhile is read before. */
async function patience({ answer, look }: Times): Promise<void> {
  for (let waited = 0; waited < answer; waited += look) await new Promise((resolve) => setTimeout(resolve, look))
  await new Promise((resolve) => setImmediate(resolve))
}
