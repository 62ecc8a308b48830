import { Failure } from '@markbook/shared/failures'
import { client } from '../api/client.ts'
import { forgetLastSeen } from '../api/last-seen.ts'
import { noteSigningOut } from '../api/signed-out.ts'
import { forgetApp } from './service-worker.ts'

/**
 * Ends the session, and removes what this browser kept of what the person saw; marks that are not saved stay, for them alone. Loads the page
 * again, so that no data of this person stays in the window. A server that cannot be reached is told later.
 */
export async function signOut(): Promise<void> {
  noteSigningOut(true)
  await forgetLastSeen()
  if (await finishSignOut()) await forgetApp()
  location.assign('/sign-in')
}

/** Tells the server; true once it knows. */
export async function finishSignOut(): Promise<boolean> {
  const isKnown = await client.auth.logout().then(
    () => true,
    (failure) => failure instanceof Failure && failure.status === 401,
  )
  if (isKnown) noteSigningOut(false)
  return isKnown
}
