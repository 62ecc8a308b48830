import { type NaturalKind, naturalId } from '@markbook/shared/ids'
import { type Cursor, cursorToText, textToCursor } from '@markbook/sync/protocol/cursor'
import { keysOfCode } from '../../replication/identity/enrolment.ts'
import { makeKeys, proveReply, replyText, requestText, sharedKey, signatureOf, signReply } from '../../replication/identity/keys.ts'
import { answering } from '../../replication/line/headers.ts'
import { decrypt } from '../../store/encryption.ts'
import { markOf, quiz, teacher, zoe } from './small-school.ts'

const CODE = '1H7KM-Z2Q8V-4CPRD-9W3TX-0F6NB-4'
const OTHER = '01900000-0000-7000-8000-0000000000a2'
export const NODE = '01900000-0000-7000-8000-0000000000a1'
export const keys = makeKeys('a secret of this node', NODE)
const others = makeKeys('a secret of another node', OTHER)

/** What is derived from a code, from a node's secret, and from natural keys; and what is signed with which key. */
export const keysAndSignatures = () => ({ code: code(), signatures: signatures(), sealed: sealed(), ids: ids(), cursors: cursors() })

function code() {
  const { signing, verifier, id } = keysOfCode(CODE)
  const typed = [CODE, CODE.toLowerCase().replaceAll('-', ' '), CODE.replaceAll('1', 'I').replaceAll('0', 'O')]
  const isSame = typed.every((each) => keysOfCode(each).id === id)
  return { typed, isSame, seed: signing.export({ format: 'jwk' }).d, public_key: verifier, invitation: id }
}

function signatures() {
  const body = '{"cursor":null,"wait":0,"scope":null}'
  const asked = { method: 'POST', path: '/sync/pull', body: Buffer.from(body), nonce: '1768204800000.random.seal', number: 7 }
  const signature = signatureOf(asked, keys)
  const reply = { answers: answering({ peer: OTHER, signature }), status: 200, body: Buffer.from('{"unknown":[]}') }
  const { verifier } = keysOfCode(CODE)
  return {
    signer: { seed: keys.signing.export({ format: 'jwk' }).d, public_key: keys.publicKey },
    request: { ...asked, body, text: requestText(asked), signature },
    reply: { ...reply, body: reply.body.toString(), text: replyText(reply), signature: signReply(reply, keys) },
    join_proof: { public_key: verifier, text: replyText(reply), proof: proveReply(reply, verifier) },
  }
}

/** A secret column on its way between two servers. A fixed example, since encryption uses random bits. */
function sealed() {
  const text = 'bobas9MCAFYfMewjHsONswOGcDkBOj4oTv65ChYqiolEJ01LDqsczetdXkU'
  const shared = sharedKey(keys, others.boxKey)
  const isSame = shared.equals(sharedKey(others, keys.boxKey))
  const [a, b] = [keys, others].map(({ box, boxKey }) => ({ seed: box.export({ format: 'jwk' }).d, box_key: boxKey }))
  return {
    a,
    b,
    isSame,
    shared: shared.toString('base64url'),
    owner: teacher.id,
    text,
    opens_to: decrypt(text, shared, teacher.id)?.toString(),
  }
}

function ids() {
  const made = (kind: NaturalKind, ...of: string[]) => ({ kind, of, id: naturalId(kind, ...of) })
  return [
    made('user', 'ada.nowak@hill.example'),
    made('grade', quiz, zoe),
    made('conflict', 'grade', markOf(zoe), 'score', 'value', '', NODE, '2'),
  ]
}

function cursors() {
  const place = { epoch: NODE, seq: 120, people: 8 }
  const checkpoint = { digest: 'iiQVmmu-qAUq', acknowledged: 14, former: 'first', seal: 'XimruMT50vBa6rAA' }
  const all: Cursor[] = [
    { kind: 'feed', ...place },
    { kind: 'feed', ...place, checkpoint },
    { kind: 'history', ...place, after: 64, checkpoint },
    { kind: 'copy', ...place, table: 'grade', after: zoe, copied: 20_000, checkpoint },
  ]
  const none = ['', 'x/1/2', `${NODE}/1`, `${NODE}/copy/1/2/grade`, `${NODE}/1/2~digest.1.first`, `${NODE}/-1/2`]
  return {
    texts: all.map((cursor) => ({ cursor, text: cursorToText(cursor) })),
    none: none.filter((text) => textToCursor(text) === null),
  }
}
