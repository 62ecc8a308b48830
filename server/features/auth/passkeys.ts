import { isIP } from 'node:net'
import type { Assertion, NewCredential } from '@markbook/shared/contract/credentials'
import { passkeyFailures } from '@markbook/shared/contract/passkeys'
import { fullName } from '@markbook/shared/domain/full-name'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'

type Passkey = Row<'passkey'>
/** The calling page: its origin, and the host to which its passkeys belong. */
export type Party = { origin: string; host: string }

/** Loaded with the first passkey: with its certificate parser it takes a tenth of the program's start. */
const library = () => import('@simplewebauthn/server')

/** ES256, EdDSA and RS256 as COSE numbers; every present authenticator supports one of them. */
const ALGORITHMS = [-7, -8, -257]
const timeout = limits.passkeys.challengeMs

/** Throws 409 for an IP address: browsers create no passkeys for it. */
export function partyOf(origin: string): Party {
  const { hostname } = new URL(origin)
  if (hostname === '' || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) throw passkeyFailures.needsAName()
  return { origin, host: hostname }
}

const named = ({ credential_id, transports }: Passkey) => ({ id: credential_id, transports })
const typed = ({ id, transports }: { id: string; transports?: readonly string[] | undefined }) => ({
  id,
  type: 'public-key' as const,
  ...(transports && { transports: [...transports] }),
})

type Owner = { id: string; email: string; first_name: string | null; last_name: string | null }

/** The options for creating a key: discoverable, and used only after verifying its user. */
export async function creationOptions({ host }: Party, { id, email, ...name }: Owner, own: Passkey[], challenge: Buffer) {
  const options = await (await library()).generateRegistrationOptions({
    rpName: 'Markbook',
    rpID: host,
    userID: new Uint8Array(Buffer.from(id)),
    userName: email,
    userDisplayName: fullName(name) || email,
    challenge: new Uint8Array(challenge),
    timeout,
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: own.map(named),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  return {
    ...options,
    timeout,
    rp: { id: host, name: options.rp.name },
    excludeCredentials: (options.excludeCredentials ?? []).map(typed),
    authenticatorSelection: { residentKey: 'required' as const, requireResidentKey: true, userVerification: 'required' as const },
    attestation: 'none' as const,
  }
}

/** The options for signing. They list no credentials, so that they reveal nothing, unless `own` holds those of the signed-in caller. */
export async function requestOptions({ host }: Party, challenge: Buffer, own: Passkey[] | null) {
  const options = await (await library()).generateAuthenticationOptions({
    rpID: host,
    challenge: new Uint8Array(challenge),
    timeout,
    userVerification: 'required',
    ...(own && { allowCredentials: own.map(named) }),
  })
  return {
    ...options,
    timeout,
    rpId: host,
    userVerification: 'required' as const,
    allowCredentials: own ? (options.allowCredentials ?? []).map(typed) : undefined,
  }
}

/** The challenge in the client data of a ceremony; null where it is unreadable, or a page embedded in another site's requested it. */
export function challengeIn({ clientDataJSON }: { clientDataJSON: string }): string | null {
  try {
    const said: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString())
    const { challenge, crossOrigin } = said as { challenge?: unknown; crossOrigin?: unknown }
    return typeof challenge === 'string' && crossOrigin !== true ? challenge : null
  } catch {
    return null
  }
}

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))

/**
 * Whether the attestation is empty or signed by the new key itself. Others are not requested, and their certificates name URLs from which
 * the library would fetch revocation lists.
 */
async function isPlainAttestation(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  const decoded = decodeAttestationObject(bytesOf(attestationObject))
  const format = decoded.get('fmt')
  return format === 'none' || (format === 'packed' && decoded.get('attStmt').get('x5c') === undefined)
}

/** The verified new key, or null where it was not made with these options, for this page and this challenge. */
export async function verifiedCreation({ id, rawId, response }: NewCredential, { origin, host }: Party, expectedChallenge: string) {
  try {
    if (!(await isPlainAttestation(response.attestationObject))) return null
    const { clientDataJSON, attestationObject } = response
    const { verified, registrationInfo } = await (await library()).verifyRegistrationResponse({
      response: { id, rawId, type: 'public-key', clientExtensionResults: {}, response: { clientDataJSON, attestationObject } },
      expectedChallenge,
      expectedOrigin: origin,
      expectedRPID: host,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (!verified) return null
    const { credential } = registrationInfo
    return {
      credential_id: credential.id,
      public_key: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
    }
  } catch {
    return null
  }
}

/** The authenticator's counter, where the passkey's key has signed for this page and this challenge after verifying its user; else null. */
export async function verifiedUse(
  { id, rawId, response }: Assertion,
  passkey: Passkey,
  { origin, host }: Party,
  expectedChallenge: string,
): Promise<number | null> {
  if (passkey.host !== host) return null
  try {
    const { clientDataJSON, authenticatorData, signature } = response
    const { verified, authenticationInfo } = await (await library()).verifyAuthenticationResponse({
      response: { id, rawId, type: 'public-key', clientExtensionResults: {}, response: { clientDataJSON, authenticatorData, signature } },
      expectedChallenge,
      expectedOrigin: origin,
      expectedRPID: host,
      requireUserVerification: true,
      // The counter is compared when the row is locked, after the signature, so that only the holder of the key learns of a copy.
      credential: { id: passkey.credential_id, publicKey: bytesOf(passkey.public_key), counter: 0 },
    })
    return verified ? authenticationInfo.newCounter : null
  } catch {
    return null
  }
}

/** Whether the counter has increased; an authenticator without a counter always sends 0 (WebAuthn, «Signature counter»). */
export const isCountedOn = (before: number, now: number): boolean => now > before || (now === 0 && before === 0)
