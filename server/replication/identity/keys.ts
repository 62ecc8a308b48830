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

/** A node's own keys, and what others are given of them (raw, base64url). */
export type NodeKeys = { signing: KeyObject; box: KeyObject; publicKey: string; boxKey: string }

/** DER in front of a raw private key (RFC 8410). */
const PRIVATE = { ed25519: '302e020100300506032b657004220420', x25519: '302e020100300506032b656e04220420' } as const
const PUBLIC = { ed25519: '302a300506032b6570032100', x25519: '302a300506032b656e032100' } as const

/**
 * Made from the server's secret and the node's id: nothing more to keep safe than what there is already, every instance of a central
 * node has the same, and a new incarnation has new ones.
 */
export const nodeKeys = (secret: string, nodeId: string): NodeKeys =>
  remembered(ownKeys, createHash('sha256').update(`${nodeId} ${secret}`).digest('base64url'), () => makeKeys(secret, nodeId))

/** Every request needs keys, and to make them takes longer than to use them. */
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
 * What follows from the code of an invitation, 128 bits. Who joins signs with `signing`, and names the invitation by `id`. The inviting node
 * keeps `verifier`, the public half, from which nobody can join. It is never sent, so that both sides have it and nobody else does.
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

/** What a request's signature is over. `number` rises with every request of a session; `nonce` is the parent's for the session. */
export type Signed = { method: string; path: string; body: Uint8Array; nonce: string; number: number }
export const requestText = ({ method, path, body, nonce, number }: Signed): string =>
  ['markbook-sync-1', method, path, createHash('sha256').update(body).digest('hex'), nonce, number].join('\n')

export const signatureOf = (signed: Signed, keys: Pick<NodeKeys, 'signing'>): string => signText(requestText(signed), keys)

export const isSignedBy = (signed: Signed, signature: string, publicKey: string): boolean =>
  verify(null, Buffer.from(requestText(signed)), publicKeyOf(publicKey, 'ed25519'), Buffer.from(signature, 'base64url'))

/** A text that begins with what it is a text of, so that no signature of one kind is one of another. */
export const signText = (text: string, { signing }: Pick<NodeKeys, 'signing'>): string =>
  sign(null, Buffer.from(text), signing).toString('base64url')
export const isTextSignedBy = (text: string, signature: string, publicKey: string): boolean =>
  isKey(publicKey, 'ed25519') && verify(null, Buffer.from(text), publicKeyOf(publicKey, 'ed25519'), Buffer.from(signature, 'base64url'))

/** What a reply's signature is over: which request it answers (`answering` in door.ts), so that it answers no other, and `body` before any compression. */
export type Reply = { answers: string; status: number; body: Uint8Array }
export const replyText = ({ answers, status, body }: Reply): string =>
  ['markbook-reply', answers, status, createHash('sha256').update(body).digest('hex')].join('\n')

/** Of an enrolled node's parent. */
export const signReply = (reply: Reply, keys: Pick<NodeKeys, 'signing'>): string => signText(replyText(reply), keys)
export const isReplyOf = (reply: Reply, signature: string, publicKey: string): boolean =>
  isTextSignedBy(replyText(reply), signature, publicKey)

/** Of a node that invites, whose key who joins does not know yet. */
export const proveReply = (reply: Reply, verifier: string): string => proofOf(reply, verifier).toString('base64url')
export const isReplyProved = (reply: Reply, proof: string, verifier: string): boolean =>
  isSameSecret(Buffer.from(proof, 'base64url'), proofOf(reply, verifier))
const proofOf = (reply: Reply, verifier: string) => createHmac('sha256', `markbook:joined:${verifier}`).update(replyText(reply)).digest()

/** What two nodes share and nobody else knows: secrets on their way are sealed with it. */
export const sharedKey = ({ box, boxKey }: Pick<NodeKeys, 'box' | 'boxKey'>, theirKey: string): Buffer =>
  remembered(sharedKeys, `${boxKey} ${theirKey}`, () =>
    Buffer.from(hkdfSync('sha256', diffieHellman({ privateKey: box, publicKey: publicKeyOf(theirKey, 'x25519') }), '', 'markbook:box', 32)),
  )
