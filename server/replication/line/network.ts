import { limits } from '@markbook/shared/limits'
import { fetchTrusting } from '../identity/trust.ts'
import type { Carrier } from './parent-line.ts'

const patienceFor = (path: string): number => {
  const { shortMs, longPollMs, pageMs } = limits.sync.timeout
  if (path === '/sync/pull') return longPollMs
  return path === '/sync/push' || path === '/sync/verify' || path === '/sync/files' || path.startsWith('/storage/') ? pageMs : shortMs
}

/**
 * Carries requests over the network. A parent that does not begin its reply in time counts as away: a connection can die unnoticed, and the
 * long poll answers well within that time. `stopping` ends what is under way. `authority`: one that this machine trusts beside the public
 * ones.
 */
export const overNetwork =
  (stopping: AbortSignal, authority: () => string | null = () => null): Carrier =>
  async (request) => {
    const patience = new AbortController()
    const most = patienceFor(new URL(request.url).pathname)
    const timer = setTimeout(() => patience.abort(new Error(`It did not answer within ${most / 1_000} s.`)), most)
    try {
      const signal = AbortSignal.any([request.signal, stopping, patience.signal])
      const own = request.url.startsWith('https:') ? authority() : null
      return await fetchTrusting(request, own, signal)
    } finally {
      clearTimeout(timer)
    }
  }
