import { Failure } from '@markbook/shared/failures'
import { promptClient } from '../api/client.ts'
import { forgetLastSeen } from '../api/last-seen.ts'
import { noteSigningOut } from '../api/signed-out.ts'
import { forgetApp } from './service-worker.ts'

/**
 * Ends the session, and removes what this browser kept of what the person saw; marks that are not saved stay, for them alone. Loads the page
 * again, so that no data of this person stays in the window. A server that cannot be reached is told later.
 */
export async function signOut(): Promise<void> {
  noteSigningOut(true)
  await finishSignOut()
  location.assign('/sign-in')
}

/** Tells the server. Until it knows nothing is kept here, in no window. */
export async function finishSignOut(): Promise<void> {
  // Before the server is asked, which may take long; and once more, since another window may have kept something meanwhile.
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
