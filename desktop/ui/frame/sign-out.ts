import { client } from '../api/client.ts'

/** Loads the page again, so that no data of this person stays in the window. */
export async function signOut(): Promise<void> {
  await client.auth.logout().catch(() => null)
  location.assign('/sign-in')
}
