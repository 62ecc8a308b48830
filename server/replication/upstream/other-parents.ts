import { limits } from '@markbook/shared/limits'
import type { Services } from '../../http/services.ts'
import type { Peer } from '../../store/peer-row.ts'
import { asSystem } from '../../store/tx.ts'
import { parentsOf } from '../identity/enrolment.ts'
import { keysOfEnrolment } from '../incarnation/incarnation.ts'
import { NumberGivenUp } from '../incarnation/number.ts'
import { type Carrier, LineFailure, ParentLine } from '../line/parent-line.ts'
import { Child } from './child.ts'

/**
 * Meets every parent of a laptop but the one at place `spokenWith`: greets it and exchanges news, at most limits.sync.parents.pages each
 * way. A centre may have lost days that this laptop alone has read, and nobody else can show it that. Returns the place of a parent with
 * which this node has to begin anew, or null. A parent that does not answer is met another time.
 */
export async function meetOthers(services: Services, spokenWith: number, carry: Carrier, signal?: AbortSignal): Promise<number | null> {
  const parents = await services.store.read(asSystem(), parentsOf)
  for (const [place, parent] of parents.entries())
    if (place !== spokenWith && (await mustBeginAnew(services, parent, carry, signal))) return place
  return null
}

/** Meets one parent. Returns whether this node has to begin anew with it. */
async function mustBeginAnew(services: Services, parent: Peer, carry: Carrier, signal?: AbortSignal): Promise<boolean> {
  const line = new ParentLine(parent, keysOfEnrolment(services, parent), carry)
  const child = new Child(services, parent.id, line)
  try {
    if ((await child.greet(signal)).anew) return true
    await allOf(() => child.push(), signal)
    await allOf(() => child.pull(0, signal), signal)
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof NumberGivenUp) return true
    if (!(error instanceof LineFailure)) services.log.error({ err: error }, 'replication: another parent could not be met')
  }
  return false
}

async function allOf(next: () => Promise<{ more: boolean }>, signal?: AbortSignal): Promise<void> {
  for (let left = limits.sync.parents.pages; left > 0; left -= 1) {
    signal?.throwIfAborted()
    if (!(await next()).more) return
  }
}
