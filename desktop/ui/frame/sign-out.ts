import { Failure } from '@markbook/shared/failures'
import { promptClient } from '../api/client.ts'
import { forgetLastSeen } from '../api/last-seen.ts'
import { noteSigningOut } from '../api/signed-out.ts'
import { forgetApp } from './service-worker.ts'

/**
 * Ends the session, and removes what this browser stored for the person, except unsaved marks, which only they can see. Reloads the page,
 * so that nothing stays in the window. A server that cannot be reached is told later (`finishSignOut`).
 */
export async function signOut(): Promise<void> {
  noteSigningOut(true)
  await finishSignOut()
  location.assign('/sign-in')
}

/** Tells the server of the sign-out. Until it has answered, no window of this browser stores anything. */
export async function finishSignOut(): Promise<void> {
  // Before the request, which may take long, and again after it, since another window may have stored something meanwhile.
  await forgetLastSeen()
  const isKnown = await promptClient.auth.logout().then(
    () => true,
    (failure) => failure instanceof Failure && failure.status === 401,
  )
  await forgetLastSeen()
  if (!isKnown) return
  await forgetApp()
  noteSigningOut(false)
}
