import { toInstant } from '@markbook/shared/clock'
import { limits } from '@markbook/shared/limits'
import type { Services } from '../../http/services.ts'
import { asSystem } from '../../store/tx.ts'
import { LineFailure } from '../line/parent-line.ts'
import { nextDue } from './queue.ts'
import { type Transfer, transferFiles } from './transfer.ts'

/** Transfers files while the server runs. `wake`: call when there may be something to carry, or the line is back. */
export type TransferLoop = { wake(): void; stop(): Promise<void> }

/** One run after another: the next when it is woken, or when something that failed is due again. */
export function keepTransferring(services: Services, peerId: string, line: Transfer['line']): TransferLoop {
  const { store, clock, log } = services
  const stopping = new AbortController()
  let running: Promise<void> | null = null
  let isAsked = false
  let failures = 0
  let timer: NodeJS.Timeout | undefined
  const { retryFirstMs, retryMaxMs } = limits.sync.files

  const plan = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(wake, ms).unref()
  }
  const runOnce = async () => {
    try {
      await transferFiles({ services, peerId, line }, stopping.signal)
      failures = 0
      const next = await store.read(asSystem(), (tx) => nextDue(tx, peerId))
      if (next) plan(Math.max(retryFirstMs, Date.parse(next) - Date.parse(toInstant(clock.now()))))
    } catch (error) {
      if (stopping.signal.aborted) return
      failures += 1
      if (!(error instanceof LineFailure)) log.warn({ err: error }, 'files could not be carried; it is tried again')
      // Only a new greeting makes another try worthwhile.
      else if (error.means === 'revoked' || error.means === 'session') return
      plan(Math.min(retryMaxMs, retryFirstMs * 2 ** Math.min(failures, 30)))
    }
  }
  const wake = () => {
    isAsked = true
    if (running || stopping.signal.aborted) return
    clearTimeout(timer)
    running = (async () => {
      while (isAsked && !stopping.signal.aborted) {
        isAsked = false
        await runOnce()
      }
    })().finally(() => {
      running = null
    })
  }
  return {
    wake,
    stop: async () => {
      stopping.abort()
      clearTimeout(timer)
      await running
    },
  }
}
