import { authFailures } from '@markbook/shared/contract/auth'
import type { Endpoint } from '@markbook/shared/contract/endpoint'
import { limits } from '@markbook/shared/limits'
import type { Caller } from './caller.ts'

const { validMs, clockSkewMs } = limits.proof

/**
 * Throws 403 where the endpoint needs a fresh proof and this session has none (docs/design/sign-in.md). The mount calls it for every
 * request; code that runs one endpoint inside another must call it too.
 */
export function demandFreshProof({ fresh }: Pick<Endpoint, 'fresh'>, caller: Pick<Caller, 'proved_at'> | null, nowMs: number): void {
  if (!fresh) return
  const age = nowMs - Date.parse(caller?.proved_at ?? '')
  if (!(age >= -clockSkewMs && age <= validMs)) throw authFailures.freshProofNeeded()
}
