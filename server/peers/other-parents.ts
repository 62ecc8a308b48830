import type { Services } from '../http/services.ts'
import { asSystem } from '../store/tx.ts'
import { Child } from './child.ts'
import { parentsOf } from './enrolment.ts'
import { keysOfEnrolment } from './incarnation.ts'
import { type Carrier, LineFailure, ParentLine } from './parent-line.ts'

/**
 * Greets every parent of a laptop but the one at `spokenWith`, and brings and takes nothing. Days that a centre has lost may have been heard
 * by this laptop alone, and nobody else can show it that they are missing (decision 410). Answers the place of a parent by which this node
 * has to begin anew, or null. One that is not there is greeted another time.
 */
export async function greetOthers(services: Services, spokenWith: number, carry: Carrier, signal?: AbortSignal): Promise<number | null> {
  const parents = await services.store.read(asSystem(), parentsOf)
  for (const [place, parent] of parents.entries()) {
    if (place === spokenWith) continue
    const line = new ParentLine(parent, keysOfEnrolment(services, parent), carry)
    const anew = await new Child(services, parent.id, line).greet(signal).then(
      (greeted) => greeted.anew,
      (error: unknown) => quietly(services, error, signal),
    )
    if (anew) return place
  }
  return null
}

function quietly({ log }: Pick<Services, 'log'>, error: unknown, signal?: AbortSignal): false {
  signal?.throwIfAborted()
  if (!(error instanceof LineFailure)) log.error({ err: error }, 'replication: another parent could not be greeted')
  return false
}
