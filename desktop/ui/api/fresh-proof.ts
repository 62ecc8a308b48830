import { useEffect, useSyncExternalStore } from 'react'
import { Listeners } from './listeners.ts'

/** The code of what the server refuses until its person has shown once more who they are. */
const NEEDED = 'auth.fresh_proof_needed'

type Question = { answer: Promise<boolean>; close(isProved: boolean): void }

let open: Question | null = null
let places = 0
const listeners = new Listeners()

function setOpen(question: Question | null): void {
  open = question
  listeners.notify()
}

/** Whether a reply says so. Its body stays unread. */
export async function needsProof(response: Response): Promise<boolean> {
  if (response.status !== 403) return false
  const said: unknown = await response
    .clone()
    .json()
    .catch(() => null)
  return (said as { code?: unknown } | null)?.code === NEEDED
}

/** Asks for a proof; true once there is one. Requests that need it at the same time share one question. */
export function askForProof(): Promise<boolean> {
  // Where nothing can ask, the refusal is the answer.
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

/** What closes the open question, with whether there is a proof now; null while none is open. The caller shows it. */
export function useProofQuestion(): ((isProved: boolean) => void) | null {
  useEffect(() => {
    places += 1
    return () => {
      places -= 1
      // The page that asked is gone.
      if (places === 0) open?.close(false)
    }
  }, [])
  return useSyncExternalStore(listeners.add, () => open?.close ?? null)
}
