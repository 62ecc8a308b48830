import type { Line } from './line.ts'

/** A connection for one statement. */
export function once(line: Line): Line {
  let isUsed = false
  const execute: Line['execute'] = async (ready, params) => {
    if (isUsed) throw new Error('two statements need a transaction')
    isUsed = true
    return line.execute(ready, params)
  }
  return { ...line, execute }
}

/**
 * The first statement of the work is sent right behind the one that says as whom, without waiting for its answer: a connection answers
 * in order, and where the first is refused Postgres refuses whatever follows in the transaction.
 */
export async function behind<T>(acting: Promise<unknown>, work: Promise<T>): Promise<T> {
  const [acted, worked] = await Promise.allSettled([acting, work])
  if (acted.status === 'rejected') throw acted.reason
  if (worked.status === 'rejected') throw worked.reason
  return worked.value
}
