import type { Profile } from '@markbook/shared/contract/auth'
import { Failure } from '@markbook/shared/failures'
import { client } from './client.ts'
import { save } from './queries.ts'

/**
 * Why this browser has no passkeys here: `number`: the address is no name; `insecure`: plain http from another computer; `unsupported`: the
 * browser knows none. `none` where it has.
 */
export type PasskeyObstacle = 'none' | 'number' | 'insecure' | 'unsupported'

const isNumber = (hostname: string) => /^(\d+(\.\d+){3}|\[.*\])$/.test(hostname)

export function passkeyObstacle(): PasskeyObstacle {
  if (isNumber(location.hostname)) return 'number'
  if (!isSecureContext) return 'insecure'
  return 'PublicKeyCredential' in globalThis ? 'none' : 'unsupported'
}

/** The browser says hardly more than that it was left: the person pressed «Cancel», waited, or has no passkey for this name. */
const notUsed = () => new Failure(400, 'passkeys.not_used', 'No passkey was used. Please try again, or choose another way.')

async function withBrowser<T>(work: (browser: typeof import('@simplewebauthn/browser')) => Promise<T>): Promise<T> {
  const browser = await import('@simplewebauthn/browser')
  try {
    return await work(browser)
  } catch (error) {
    throw error instanceof Failure ? error : notUsed()
  }
}

/** Makes a passkey for the person who is signed in. Throws a `Failure`. */
export async function addPasskey(name: string): Promise<void> {
  const optionsJSON = await client.passkeys.begin()
  const credential = await withBrowser(({ startRegistration }) => startRegistration({ optionsJSON }))
  await save('passkeys', 'add', { body: { name, credential } }, ['sessions'])
}

/** What one of the person's passkeys has signed, to be sent to the server. Throws a `Failure`. */
export async function passkeyAssertion() {
  const optionsJSON = await client.passkeys.ask()
  return withBrowser(({ startAuthentication }) => startAuthentication({ optionsJSON }))
}

/** Signs in with whichever passkey the person chooses. */
export async function signInWithPasskey(): Promise<Profile> {
  const { user } = await client.passkeys.signIn({ body: { credential: await passkeyAssertion() } })
  return user
}

/** Shows with a passkey that the person who is signed in is there. */
export const proveWithPasskey = async () => client.passkeys.prove({ body: { credential: await passkeyAssertion() } })
