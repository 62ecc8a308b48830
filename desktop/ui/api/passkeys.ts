import type { Profile } from '@markbook/shared/contract/auth'
import { Failure } from '@markbook/shared/failures'
import { client } from './client.ts'
import { save } from './queries.ts'

/**
 * Why passkeys cannot be used here. `number`: the address is an IP address and no name; `insecure`: http from another computer;
 * `unsupported`: the browser has none. `none`: they can be used.
 */
export type PasskeyObstacle = 'none' | 'number' | 'insecure' | 'unsupported'

const isNumber = (hostname: string) => /^(\d+(\.\d+){3}|\[.*\])$/.test(hostname)

/** Why this page cannot use passkeys; `none` where it can. */
export function passkeyObstacle(): PasskeyObstacle {
  if (isNumber(location.hostname)) return 'number'
  if (!isSecureContext) return 'insecure'
  return 'PublicKeyCredential' in globalThis ? 'none' : 'unsupported'
}

/** For privacy browsers do not say more: the person cancelled, waited too long, or has no passkey for this site. */
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

/** A signature by one of the person's passkeys, to send to the server. Throws a `Failure`. */
export async function passkeyAssertion() {
  const optionsJSON = await client.passkeys.ask()
  return withBrowser(({ startAuthentication }) => startAuthentication({ optionsJSON }))
}

/** Signs in with a passkey that the person chooses. Throws a `Failure`. */
export async function signInWithPasskey(): Promise<Profile> {
  const { user } = await client.passkeys.signIn({ body: { credential: await passkeyAssertion() } })
  return user
}

/** Proves with a passkey that the person is present. */
export const proveWithPasskey = async () => client.passkeys.prove({ body: { credential: await passkeyAssertion() } })
