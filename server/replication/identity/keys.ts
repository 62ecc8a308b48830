import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { isSameSecret } from '../../store/encryption.ts'

/** A node's private keys, and their public halves (raw, base64url). */
export type NodeKeys = { signing: KeyObject; box: KeyObject; publicKey: string; boxKey: string }

/** DER in front of a raw private key (RFC 8410). */
const PRIVATE = { ed25519: '302e020100300506032b657004220420', x25519: '302e020100300506032b656e04220420' } as const
const PUBLIC = { ed25519: '302a300506032b6570032100', x25519: '302a300506032b656e032100' } as const

/**
 * The keys of a number, derived from the server's secret: there is nothing more to keep safe, every instance of a centre has the same keys,
 * and a new number has new ones.
 */
export const nodeKeys = (secret: string, nodeId: string): NodeKeys =>
  remembered(ownKeys, createHash('sha256').update(`${nodeId} ${secret}`).digest('base64url'), () => makeKeys(secret, nodeId))

/** Every request needs keys, and deriving them takes longer than using them. */
const [ownKeys, publicKeys, sharedKeys] = [new Map<string, NodeKeys>(), new Map<string, KeyObject>(), new Map<string, Buffer>()]
const MOST_REMEMBERED = 1_000

function remembered<K>(keys: Map<string, K>, name: string, make: () => K): K {
  const known = keys.get(name)
  if (known) return known
  const made = make()
  if (keys.size >= MOST_REMEMBERED) keys.clear()
  keys.set(name, made)
  return made
}

export function makeKeys(secret: string, nodeId: string): NodeKeys {
  const key = (kind: keyof typeof PRIVATE) => privateKeyOf(kind, hkdfSync('sha256', secret, nodeId, `markbook:${kind}`, 32))
  const [signing, box] = [key('ed25519'), key('x25519')]
  return { signing, box, publicKey: rawOf(signing), boxKey: rawOf(box) }
}

const privateKeyOf = (kind: keyof typeof PRIVATE, seed: ArrayBuffer) =>
  createPrivateKey({ key: Buffer.concat([Buffer.from(PRIVATE[kind], 'hex'), Buffer.from(seed)]), format: 'der', type: 'pkcs8' })
const rawOf = (own: KeyObject) => createPublicKey(own).export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64url')

/**
 * What follows from the code of an invitation, 128 bits. A joining node signs with `signing` and names the invitation by `id`. The inviting
 * node keeps `verifier`, the public half, with which nobody can join. It is never sent, so that only the two ends have it.
 */
export type CodeKeys = { signing: KeyObject; verifier: string; id: string }

/** `code` in its plain form, as `enrolment.ts` makes it. */
export function codeKeys(code: string): CodeKeys {
  const signing = privateKeyOf('ed25519', hkdfSync('sha256', code, '', 'markbook:invitation', 32))
  const verifier = rawOf(signing)
  return { signing, verifier, id: invitationId(verifier) }
}

export const invitationId = (verifier: string): string => createHash('sha256').update(`markbook:invitation:${verifier}`).digest('base64url')

const publicKeyOf = (raw: string, kind: keyof typeof PUBLIC): KeyObject =>
  remembered(publicKeys, `${kind} ${raw}`, () =>
    createPublicKey({ key: Buffer.concat([Buffer.from(PUBLIC[kind], 'hex'), Buffer.from(raw, 'base64url')]), format: 'der', type: 'spki' }),
  )

/** True for 32 bytes in base64url that are a key of the kind. */
export function isKey(raw: string, kind: keyof typeof PUBLIC): boolean {
  try {
    return Buffer.from(raw, 'base64url').length === 32 && Boolean(publicKeyOf(raw, kind))
  } catch {
    return false
  }
}

/** What the signature of a request covers. `number` rises with every request of a session; `nonce` is the session's. */
export type Signed = { method: string; path: string; body: Uint8Array; nonce: string; number: number }
export const requestText = ({ method, path, body, nonce, number }: Signed): string =>
  ['markbook-sync-1', method, path, createHash('sha256').update(body).digest('hex'), nonce, number].join('\n')

export const signatureOf = (signed: Signed, keys: Pick<NodeKeys, 'signing'>): string => signText(requestText(signed), keys)

export const isSignedBy = (signed: Signed, signature: string, publicKey: string): boolean =>
  verify(null, Buffer.from(requestText(signed)), publicKeyOf(publicKey, 'ed25519'), Buffer.from(signature, 'base64url'))

/** Signs a text. Texts begin with a word for their kind, so that a signature over one kind is none over another. */
export const signText = (text: string, { signing }: Pick<NodeKeys, 'signing'>): string =>
  sign(null, Buffer.from(text), signing).toString('base64url')
export const isTextSignedBy = (text: string, signature: string, publicKey: string): boolean =>
  isKey(publicKey, 'ed25519') && verify(null, Buffer.from(text), publicKeyOf(publicKey, 'ed25519'), Buffer.from(signature, 'base64url'))

/**
 * What the signature of a reply covers. `answers`: the request that it answers (`answering` in line/headers.ts); `body`: before
 * compression.
 */
export type Reply = { answers: string; status: number; body: Uint8Array }
export const replyText = ({ answers, status, body }: Reply): string =>
  ['markbook-reply', answers, status, createHash('sha256').update(body).digest('hex')].join('\n')

/** The signature of a parent over a reply to an enrolled child. */
export const signReply = (reply: Reply, keys: Pick<NodeKeys, 'signing'>): string => signText(replyText(reply), keys)
export const isReplyOf = (reply: Reply, signature: string, publicKey: string): boolean =>
  isTextSignedBy(replyText(reply), signature, publicKey)

/** The proof of an inviting node over a reply to a joining one, which does not know its key yet. */
export const proveReply = (reply: Reply, verifier: string): string => proofOf(reply, verifier).toString('base64url')
export const isReplyProved = (reply: Reply, proof: string, verifier: string): boolean =>
  isSameSecret(Buffer.from(proof, 'base64url'), proofOf(reply, verifier))
const proofOf = (reply: Reply, verifier: string) => createHmac('sha256', `markbook:joined:${verifier}`).update(replyText(reply)).digest()

/** The key that two nodes share and nobody else has. It seals secrets on their way. */
export const sharedKey = ({ box, boxKey }: Pick<NodeKeys, 'box' | 'boxKey'>, theirKey: string): Buffer =>
  remembered(sharedKeys, `${boxKey} ${theirKey}`, () =>
    Buffer.from(hkdfSync('sha256', diffieHellman({ privateKey: box, publicKey: publicKeyOf(theirKey, 'x25519') }), '', 'markbook:box', 32)),
  )
