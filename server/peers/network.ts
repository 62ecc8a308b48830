import { limits } from '@markbook/shared/limits'
import type { Carrier } from './parent-line.ts'

/**
 * The real line. A parent that does not begin its answer in time counts as none: a line may die without a word, and the long poll answers
 * well within that. `stopping` ends what is under way.
 */
export const overNetwork =
  (stopping: AbortSignal): Carrier =>
  async (request) => {
    const patience = new AbortController()
    const timer = setTimeout(() => patience.abort(new Error('The other server does not answer.')), limits.sync.patience).unref()
    try {
      return await fetch(request, { signal: AbortSignal.any([request.signal, stopping, patience.signal]) })
    } finally {
      clearTimeout(timer)
    }
  }
