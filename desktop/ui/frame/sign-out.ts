import { client } from '../api/client.ts'

/** The page is loaded anew, so that nothing of this person stays in the window. */
export async function signOut(): Promise<void> {
  await client.auth.logout().catch(() => null)
  location.assign('/sign-in')
}
