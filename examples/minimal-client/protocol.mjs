// What is sent: keys, signatures, requests, sheets (sync/SPEC.md, «The wire» to «History»).
import crypto from 'node:crypto'

const PROTOCOL = 4
export const SCHEMA = 1

const hex = (text) => crypto.createHash('sha256').update(text).digest('hex')
const sha = (text) => crypto.createHash('sha256').update(text).digest('base64url')
const lines = (...parts) => Buffer.from(parts.join('\n'))

/**
 * @returns {{ secret: object, public: string }} a key pair in the form in which it is stored: the secret key as a JWK, the public one raw
 * in base64url
 */
function newKeys(kind) {
  const secret = crypto.generateKeyPairSync(kind).privateKey.export({ format: 'jwk' })
  return { secret, public: secret.x }
}
export const newNodeKeys = () => ({ signing: newKeys('ed25519'), box: newKeys('x25519') })

const publicKey = (raw) => crypto.createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: raw }, format: 'jwk' })
const signText = (text, jwk) => crypto.sign(null, text, crypto.createPrivateKey({ key: jwk, format: 'jwk' })).toString('base64url')

/** The key pair derived from a code, whatever its spelling, and the id of the invitation. */
export function keysOfCode(code) {
  const plain = code.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1')
  const seed = Buffer.from(crypto.hkdfSync('sha256', plain, '', 'markbook:invitation', 32))
  // An Ed25519 private key in the form of RFC 8410: these bytes, then the seed.
  const key = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed])
  const secret = crypto.createPrivateKey({ key, format: 'der', type: 'pkcs8' }).export({ format: 'jwk' })
  return { secret, public: secret.x, invitation: sha(`markbook:invitation:${secret.x}`) }
}

export const requestText = ({ path, body, nonce, number }) => lines('markbook-sync-1', 'POST', path, hex(body), nonce, number)
export const replyText = ({ answers, status, body }) => lines('markbook-reply', answers, status, hex(body))
export const proofOfJoining = (reply, code) =>
  crypto.createHmac('sha256', `markbook:joined:${code.public}`).update(replyText(reply)).digest('base64url')

/**
 * A refusal by the parent, with its code; or a failure of the connection, whose `code` is null and which proves nothing about the parent.
 */
export class Refused extends Error {
  constructor(code, message) {
    super(message)
    this.code = code
  }
}

/**
 * Sends one signed request, and returns the reply once its signature is verified. `headers`: further ones that name the peer and the
 * parent.
 */
export async function ask({ address, path, value, nonce = '', number, secret, headers, isAuthentic }) {
  const body = Buffer.from(JSON.stringify(value))
  const signature = signText(requestText({ path, body, nonce, number }), secret)
  const sent = { 'content-type': 'application/json', 'markbook-protocol': String(PROTOCOL), 'markbook-number': String(number), ...headers }
  const init = { method: 'POST', headers: { ...sent, 'markbook-signature': signature }, body, signal: AbortSignal.timeout(120_000) }
  const response = await fetch(new URL(path, address), init).catch((error) => {
    throw new Refused(null, `${address} does not answer: ${error.cause?.message ?? error.message}`)
  })
  const answers = `${sent['markbook-peer']} ${signature}`
  const reply = { answers, status: response.status, body: Buffer.from(await response.arrayBuffer()) }
  if (!isAuthentic(reply, response.headers.get('markbook-signature') ?? ''))
    throw new Refused(null, `The reply of ${address} (${response.status}) was not authentic; nothing of it was taken.`)
  const answer = JSON.parse(reply.body.toString('utf8'))
  if (!response.ok) throw new Refused(answer.code, answer.message)
  return answer
}

/** A session with the parent: `challenge`, `hello`, then requests with ascending numbers. */
export class Session {
  nonce = ''
  number = 0

  constructor(own) {
    this.own = own
  }

  #ask(path, value, { nonce, number, challenge }) {
    const { address, keys, peer, parent } = this.own
    const known = `${parent.node} ${parent.public_key}`
    const headers = { 'markbook-peer': peer, 'markbook-parent': known, 'markbook-challenge': challenge ?? '' }
    const isAuthentic = (reply, signature) =>
      crypto.verify(null, replyText(reply), publicKey(parent.public_key), Buffer.from(signature, 'base64url'))
    return ask({ address, path, value, nonce, number, secret: keys.signing.secret, headers, isAuthentic })
  }

  async hello(more) {
    const { challenge } = await this.#ask('/sync/challenge', {}, { nonce: '', number: crypto.randomInt(2 ** 47) })
    const value = { protocol: PROTOCOL, schema: SCHEMA, kind: 'laptop', version: 'minimal', now: Date.now(), ...more }
    const welcome = await this.#ask('/sync/hello', value, { nonce: challenge, number: crypto.randomInt(2 ** 47), challenge })
    this.nonce = challenge
    this.own.parent = { ...this.own.parent, node: welcome.epoch, public_key: welcome.keys.public_key }
    return welcome
  }

  next(path, value) {
    this.number += 1
    return this.#ask(path, value, { nonce: this.nonce, number: this.number })
  }
}

const valuesOf = (cell) => ('all' in cell ? () => cell.all : 'each' in cell ? (row) => cell.each[row] : (row) => cell.of[cell.at[row]])

/** The states of a sheet's rows, without columns whose unit nobody has written. */
export function readSheet({ columns, units, versions, ids, at, cells }) {
  const unitOf = Object.fromEntries(Object.entries(units).flatMap(([unit, own]) => own.map((column) => [column, unit])))
  const read = cells.map(valuesOf)
  return ids.map((id, row) => {
    const [schema, vv, stamps, alive, extra] = versions[at[row]]
    const all = columns.map((column, place) => [column, read[place](row) ?? null])
    const values = all.filter(([column, value]) => value !== null || !unitOf[column] || stamps[unitOf[column]])
    return { id, schema, vv, units: stamps, alive, extra, values: Object.fromEntries(values) }
  })
}

/** `form`: the columns and units of the table, as the parent sent them. */
export function writeSheet(table, { columns, units }, states) {
  const versions = states.map(({ schema, vv, units: stamps, alive, extra }) => [schema, vv, stamps, alive, extra])
  const cells = columns.map((column) => ({ each: states.map(({ values }) => values[column] ?? null) }))
  return { table, columns, units, versions, ids: states.map(({ id }) => id), at: states.map((_, place) => place), cells }
}

const ENTRY = 'id at actor_id node_id entity row_id near_id action changes detail node_seq head proof'.split(' ')
export const writeHistory = (entries) => ({
  count: entries.length,
  cells: Object.fromEntries(ENTRY.map((field) => [field, { each: entries.map((entry) => entry[field]) }])),
})

const CHAINED = 'id at actor_id node_id entity row_id near_id action changes'.split(' ')
/** The head of a history's chain after a transaction. */
export function headAfter(head, entries) {
  const sorted = [...entries].sort((a, b) => (a.id < b.id ? -1 : 1))
  const chained = sorted.map((entry) => ({
    ...Object.fromEntries(CHAINED.map((field) => [field, entry[field]])),
    ...(entry.detail !== null && { detail: entry.detail }),
  }))
  return hex(head + hex(JSON.stringify(chained)))
}

const DIGESTED = 'id at actor_id node_id node_seq entity row_id near_id action changes detail'.split(' ')
export const digestOf = (entry) => sha(JSON.stringify(DIGESTED.map((field) => entry[field])))

/** The proof of a whole transaction; `entries` must have their head. */
export function proofOf(school, entries, secret) {
  const [{ node_id, node_seq, head }] = entries
  const digests = sha(entries.map(digestOf).sort().join(''))
  return JSON.stringify([signText(lines('markbook-history-1', school, node_id, node_seq, head, digests), secret)])
}
