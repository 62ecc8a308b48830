import { useEffect, useSyncExternalStore } from 'react'
import { Listeners } from './listeners.ts'

/** The code of a refusal until the person has proved again who they are. */
const NEEDED = 'auth.fresh_proof_needed'

type Question = { answer: Promise<boolean>; close(isProved: boolean): void }

let open: Question | null = null
let places = 0
const listeners = new Listeners()

function setOpen(question: Question | null): void {
  open = question
  listeners.notify()
}

/** Whether a reply is such a refusal. Reads a copy, so that the body can be read again. */
export async function needsProof(response: Response): Promise<boolean> {
  if (response.status !== 403) return false
  const said: unknown = await response
    .clone()
    .json()
    .catch(() => null)
  return (said as { code?: unknown } | null)?.code === NEEDED
}

/** Asks the person for a proof; true once it was given. Requests that need one at the same time share one question. */
export function askForProof(): Promise<boolean> {
  // Where no component can ask, the refusal stands.
  if (places === 0) return Promise.resolve(false)
  if (open) return open.answer
  let resolve: (isProved: boolean) => void = () => {}
  const answer = new Promise<boolean>((done) => {
    resolve = done
  })
  const close = (isProved: boolean) => {
    setOpen(null)
    resolve(isProved)
  }
  setOpen({ answer, close })
  return answer
}

/**
 * The function that closes the open question, called with whether there is a proof now; null while none is open. The caller shows the
 * question.
 */
export function useProofQuestion(): ((isProved: boolean) => void) | null {
  useEffect(() => {
    places += 1
    return () => {
      places -= 1
      // The component that showed the question was unmounted.
      if (places === 0) open?.close(false)
    }
  }, [])
  return useSyncExternalStore(listeners.add, () => open?.close ?? null)
}
