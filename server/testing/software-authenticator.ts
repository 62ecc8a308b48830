import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

/** The options that a page passes to the authenticator. */
type Creation = { challenge: string; rp: { id: string }; user: { id: string }; excludeCredentials: readonly { id: string }[] }
type Request = { challenge: string; rpId: string; allowCredentials?: readonly { id: string }[] | undefined }

/** The flags of authenticator data (WebAuthn, «Authenticator Data»). */
const flags = { present: 0x01, verified: 0x04, attested: 0x40 } as const
type How = {
  /** The page's origin, as the browser reports it. */
  origin: string
  /** Whether it has verified its user; true by default. */
  verified?: boolean
  /** Additional client data of the ceremony. */
  said?: object
  /** Self attestation: the new key signs itself. */
  signsItself?: boolean
  /** The host name that the browser reports, where it differs from the requested one. */
  host?: string
}

type Key = { id: Buffer; host: string; user: Buffer; privateKey: KeyObject; counter: number }

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest()
const uint = (value: number, bytes: number) => {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUIntBE(value, 0, bytes)
  return buffer
}

/** An authenticator with its browser: ES256, without attestation of a maker. `counts`: it has a signature counter. */
export class SoftwareAuthenticator {
  private readonly keys: Key[] = []

  constructor(private readonly counts = true) {}

  /** A copy with the same keys and its own counters. */
  clone(): SoftwareAuthenticator {
    const copy = new SoftwareAuthenticator(this.counts)
    copy.keys.push(...this.keys.map((key) => ({ ...key })))
    return copy
  }

  create({ challenge, rp, user, excludeCredentials }: Creation, how: How) {
    if (excludeCredentials.some(({ id }) => this.keys.some((key) => base64url(key.id) === id))) throw new Error('it has a key already')
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { x = '', y = '' } = pair.publicKey.export({ format: 'jwk' })
    const key = { id: randomBytes(32), host: rp.id, user: Buffer.from(user.id, 'base64url'), privateKey: pair.privateKey, counter: 0 }
    this.keys.push(key)
    const cose = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
      [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
    ])
    const attested = Buffer.concat([Buffer.alloc(16), uint(key.id.length, 2), key.id, isoCBOR.encode(cose as never)])
    const authData = Buffer.concat([this.authenticatorData(key, how, flags.attested), attested])
    const clientDataJSON = clientData('webauthn.create', challenge, how)
    const own = new Uint8Array(sign('sha256', Buffer.concat([authData, sha256(Buffer.from(clientDataJSON, 'base64url'))]), key.privateKey))
    const statement = new Map<string, unknown>([
      ['fmt', how.signsItself ? 'packed' : 'none'],
      [
        'attStmt',
        new Map<string, unknown>(
          how.signsItself
            ? [
                ['alg', -7],
                ['sig', own],
              ]
            : [],
        ),
      ],
      ['authData', new Uint8Array(authData)],
    ])
    return this.credential(key, {
      clientDataJSON,
      attestationObject: base64url(isoCBOR.encode(statement as never)),
      transports: ['internal'],
    })
  }

  get({ challenge, rpId, allowCredentials }: Request, how: How) {
    const host = how.host ?? rpId
    const allowed = allowCredentials?.map(({ id }) => id)
    const key = this.keys.find((each) => each.host === host && (!allowed || allowed.includes(base64url(each.id))))
    if (!key) throw new Error(`it has no key for ${host}`)
    if (this.counts) key.counter += 1
    const data = this.authenticatorData(key, how, 0)
    const clientDataJSON = clientData('webauthn.get', challenge, how)
    const signed = Buffer.concat([data, sha256(Buffer.from(clientDataJSON, 'base64url'))])
    return this.credential(key, {
      clientDataJSON,
      authenticatorData: base64url(data),
      signature: base64url(sign('sha256', signed, key.privateKey)),
      userHandle: base64url(key.user),
    })
  }

  private authenticatorData({ host, counter }: Key, { verified = true }: How, more: number): Buffer {
    return Buffer.concat([sha256(host), uint(flags.present | (verified ? flags.verified : 0) | more, 1), uint(counter, 4)])
  }

  private credential<R extends object>({ id }: Key, response: R) {
    return { id: base64url(id), rawId: base64url(id), type: 'public-key' as const, response }
  }
}

const clientData = (type: string, challenge: string, { origin, said = {} }: How) =>
  base64url(Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false, ...said })))
