import { clientOf } from '@markbook/shared/contract/client'
import { contract } from '@markbook/shared/contract/contract'
import { SCHEMA_VERSION } from '@markbook/shared/tables/schema-version'
import { packEntries } from '@markbook/sync/protocol/entries'
import { type Joined, type Page, PROTOCOL, type Pushed, type Welcome } from '@markbook/sync/protocol/messages'
import { packRows } from '@markbook/sync/protocol/page'
import { stamp } from '@markbook/sync/stamp'
import type { Versions } from '@markbook/sync/versions'
import { cookieName, sessionCookies } from '../../http/cookies.ts'
import { startSession } from '../../http/sessions.ts'
import { challengeHere } from '../../replication/downstream/endpoint.ts'
import { newChallenge } from '../../replication/identity/challenge.ts'
import { keysOfCode, peerById } from '../../replication/identity/enrolment.ts'
import { type NodeKeys, nodeKeys, replyText, requestText, signatureOf, signReply } from '../../replication/identity/keys.ts'
import { headersOf } from '../../replication/line/headers.ts'
import { type Carrier, ParentLine } from '../../replication/line/parent-line.ts'
import { Child } from '../../replication/upstream/child.ts'
import { joinParent } from '../../replication/upstream/join.ts'
import { setPeer } from '../../store/peer-row.ts'
import { knownRows } from '../../store/replica/states.ts'
import { asSystem } from '../../store/tx.ts'
import { unpacked } from '../nodes.ts'
import { type School, school } from '../school.ts'
import { answersTo } from '../signed-anew.ts'
import { head, hill, markOf, maths, openSmallSchool, teacher, zoe } from './small-school.ts'

/** `signs`: the text that is signed. Bodies are uncompressed. */
type MessageParts = { headers: Record<string, string>; body: string; signs: string }
type Exchange = { what: string; request: { method: string; path: string } & MessageParts; reply: { status: number } & MessageParts }

const URL_OF_SCHOOL = 'https://school.example'
const CODE = '1H7KM-Z2Q8V-4CPRD-9W3TX-0F6NB-4'

/** All messages between a laptop and its school's server, from the first request on, with the real server and a fixed clock. */
export async function conversation(): Promise<ReturnType<Talk['whole']>> {
  const server = await school({ seed: 'vectors', story: false, database: 'sqlite', env: { NODE_NAME: 'Hill School' } })
  const laptop = await school({ seed: 'laptop', story: false, database: 'sqlite', env: { NODE_NAME: 'Ada’s laptop' } })
  try {
    await openSmallSchool(server)
    const talk = new Talk(server, laptop)
    await talk.join()
    await talk.greet()
    await talk.copy()
    await talk.meetConflict()
    await talk.bringWhatIsRefused()
    await talk.askTheRest()
    await talk.beRevoked()
    return talk.whole()
  } finally {
    await laptop.close()
    await server.close()
  }
}

class Talk {
  private readonly said: Exchange[] = []
  private joined!: Joined
  private keys!: NodeKeys
  private child!: Child
  private nonce = ''
  private number = 0

  constructor(
    private readonly server: School,
    private readonly laptop: School,
  ) {}

  whole() {
    const { code, node, keys, joined } = { code: CODE, node: this.laptop.services.store.nodeId, keys: this.keys, joined: this.joined }
    const { parent } = joined
    return { code, child: { node, ...keysShown(keys) }, parent: { node: parent.node, public_key: parent.public_key }, said: this.said }
  }

  async join(): Promise<void> {
    const { services } = this.laptop
    await this.server.services.store.write(asSystem(), (tx) =>
      tx.local.insert(tx.t.sync_invitation).values({
        id: tx.newId(),
        code_hash: keysOfCode(CODE).verifier,
        kind: 'laptop',
        school_id: hill,
        user_id: teacher.id,
        created_by: head.id,
        created_at: tx.now,
        expires_at: '2026-01-12T08:10:00.000Z',
        used_at: null,
      }),
    )
    const carry = this.recording('join: who joins signs with the key of the code; the reply is proved with its public half', '')
    this.joined = await joinParent(services, { url: URL_OF_SCHOOL, code: CODE, kind: 'laptop' }, carry)
    this.keys = nodeKeys(services.config.sessionSecret, services.store.nodeId)
    this.child = new Child(services, this.joined.peer, new ParentLine(await this.parent(), this.keys, carry))
  }

  async greet(): Promise<void> {
    this.nonce = ''
    await this.beChallenged()
    const { clock, store } = this.laptop.services
    const cursor = (await this.parent()).their_cursor
    const hello = {
      protocol: PROTOCOL,
      schema: SCHEMA_VERSION,
      node: store.nodeId,
      kind: 'laptop',
      version: '1.0',
      now: clock.now(),
      cursor,
    }
    const welcome = await this.ask<Welcome>(
      'hello: the challenge is the nonce, and from now on that of the session',
      '/sync/hello',
      hello,
      {
        number: 4_711,
        challenge: this.nonce,
      },
    )
    await this.save({ their_epoch: welcome.epoch, schema: welcome.schema })
    this.number = 0
  }

  /** Replaces the random bits of the server's challenge, so that every run is the same. */
  private async beChallenged(): Promise<void> {
    const { services } = this.server
    const peer = await services.store.read(asSystem(), (tx) => peerById(tx, this.joined.peer))
    if (!peer) throw new Error('the laptop is not enrolled')
    const challenge = newChallenge(peer, challengeHere(services), (size) => Buffer.alloc(size, this.said.length))
    const keys = nodeKeys(services.config.sessionSecret, services.store.nodeId)
    const what = 'challenge: signed with no nonce and a random number'
    await this.ask(what, '/sync/challenge', {}, { number: 1_337 }, async (request) => {
      const real = await this.server.app.fetch(request)
      const body = Buffer.from(JSON.stringify({ challenge }))
      const answers = answersTo(request)
      const headers = { 'content-type': 'application/json', [headersOf.signature]: signReply({ answers, status: real.status, body }, keys) }
      return new Response(new Uint8Array(body), { status: real.status, headers })
    })
    this.nonce = challenge
  }

  async copy(): Promise<void> {
    for (let page: Page | null = null; !page?.is_last; )
      page = await this.pull(page === null ? 'pull: the first page of the first copy' : 'pull: the next page')
  }

  /** The teacher and the head write one mark without having seen each other's. The teacher decides, having seen both. */
  async meetConflict(): Promise<void> {
    this.wait()
    await (await as(this.server, head)).grades.update({ params: { id: markOf(zoe) }, body: { score: 7 } })
    await (await as(this.laptop, teacher)).grades.update({ params: { id: markOf(zoe) }, body: { score: 8, remarks: 'Well done' } })
    await this.push('push: a mark that the head has changed meanwhile')
    await this.pull('pull: the mark as it was merged, with the conflict')
    this.wait()
    await (await as(this.laptop, teacher)).grades.update({ params: { id: markOf(zoe) }, body: { score: 7.5 } })
    await this.push('push: the teacher writes the mark again, having seen both values, which resolves the conflict')
    await this.pull('pull: nothing that this child has not sent itself')
  }

  /** Sends a row that a program without the rules of the interface would send. */
  async bringWhatIsRefused(): Promise<void> {
    const { store, clock } = this.laptop.services
    const own = await this.parent()
    const state = (await store.read(asSystem(), (tx) => knownRows(tx, 'subject', hill, [maths]))).get(maths)?.state
    if (!state) throw new Error('the subject has not come')
    const [from, to] = [own.own_seq, own.own_seq + 1]
    const written = stamp(state, { units: ['name'], node: store.nodeId, now: clock.now(), actor: teacher.id })
    const versions = JSON.parse(JSON.stringify(written).replaceAll('"#"', String(to))) as Versions
    const tables = packRows([{ table: 'subject', state: { ...state, ...versions, values: { ...state.values, name: 'Sums' } } }])
    const push = { from, to, cursor: own.their_cursor, tables, history: packEntries([]) }
    await this.ask('push: a subject, which a teacher may not rename: refused, with the row as the parent has it', '/sync/push', push)
  }

  async askTheRest(): Promise<void> {
    const stranger = '01900000-0000-7000-8000-00000000abcd'
    await this.ask('known: which of these rows the parent does not know at all', '/sync/known', {
      table: 'grade',
      ids: [markOf(zoe), stranger],
    })
    await this.ask('verify: what the parent holds, in figures', '/sync/verify', {})
    const files = [{ table: 'user_profile', id: teacher.id, held: null }]
    await this.ask('files: asked with the nonce of the session and a random number', '/sync/files', { files }, { number: 2_026 })
    const again = this.number
    await this.ask('a number that was used already: the session is over', '/sync/verify', {}, { number: again })
    const next = nodeKeys('the next', stranger)
    const anew = { node: stranger, public_key: next.publicKey, box_key: next.boxKey }
    await this.ask('renew: the next incarnation, said with the keys of the one before', '/sync/renew', anew)
  }

  async beRevoked(): Promise<void> {
    await this.server.services.store.write(asSystem(), (tx) => setPeer(tx, this.joined.peer, { revoked_at: tx.now }))
    await this.ask('a node that was revoked', '/sync/verify', {})
  }

  private wait(): void {
    for (const { clock } of [this.server, this.laptop]) clock.advance(60_000)
  }

  private async pull(what: string): Promise<Page> {
    const before = await this.parent()
    const page = await this.ask<Page>(what, '/sync/pull', { cursor: before.their_cursor, wait: 0, scope: before.scope })
    await this.child.takePage(before, page)
    return page
  }

  private async push(what: string): Promise<void> {
    const before = await this.parent()
    const { page, push } = await this.child.pageAfter(before)
    const { answers } = await this.ask<Pushed>(what, '/sync/push', push)
    await this.child.takeAnswers(before, answers, page)
  }

  private async parent() {
    const { store } = this.laptop.services
    const peer = await store.read(asSystem(), (tx) => peerById(tx, this.joined.peer))
    if (!peer) throw new Error('the laptop has no parent')
    return peer
  }
  private save(set: Parameters<typeof setPeer>[2]) {
    return this.laptop.services.store.write(asSystem(), (tx) => setPeer(tx, this.joined.peer, set))
  }

  private async ask<T>(
    what: string,
    path: string,
    value: unknown,
    { number, challenge = '' }: { number?: number; challenge?: string } = {},
    carry: Carrier = this.server.app.fetch as Carrier,
  ): Promise<T> {
    if (number === undefined) this.number += 1
    const [body, used] = [Buffer.from(JSON.stringify(value)), number ?? this.number]
    const { parent, peer } = this.joined
    const headers = {
      'content-type': 'application/json',
      [headersOf.protocol]: String(PROTOCOL),
      [headersOf.peer]: peer,
      [headersOf.number]: String(used),
      ...(challenge && { [headersOf.challenge]: challenge }),
      [headersOf.parent]: `${parent.node} ${parent.public_key}`,
      [headersOf.signature]: signatureOf({ method: 'POST', path, body, nonce: this.nonce, number: used }, this.keys),
    }
    const request = new Request(`${URL_OF_SCHOOL}${path}`, { method: 'POST', headers, body: new Uint8Array(body) })
    return (await this.recording(what, this.nonce, carry)(request)).json() as Promise<T>
  }

  private recording(what: string, nonce: string, carry: Carrier = this.server.app.fetch as Carrier): Carrier {
    return async (request) => {
      const body = Buffer.from(await request.clone().arrayBuffer())
      const { method } = request
      const path = new URL(request.url).pathname
      const response = await unpacked(await carry(request))
      const answer = Buffer.from(await response.clone().arrayBuffer())
      const answers = answersTo(request)
      const number = Number(request.headers.get(headersOf.number))
      const signs = requestText({ method, path, body, nonce, number })
      this.said.push({
        what,
        request: { method, path, headers: own(request.headers), body: body.toString('utf8'), signs },
        reply: {
          status: response.status,
          headers: own(response.headers),
          body: answer.toString('utf8'),
          signs: replyText({ answers, status: response.status, body: answer }),
        },
      })
      return response
    }
  }
}

const own = (headers: Headers) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('markbook-') || name === 'content-type'))

/** `seed`: the 32 bytes of the private key. */
const keysShown = ({ signing, publicKey, boxKey }: NodeKeys) => ({
  seed: signing.export({ format: 'jwk' }).d,
  public_key: publicKey,
  box_key: boxKey,
})

async function as({ services, app }: School, { id }: { id: string }) {
  const { store, keys, config } = services
  const settings = { name: cookieName(config.cookiePrefix, config.projectRef), secure: false }
  const session = await store.write(asSystem(), (tx) => startSession(tx, id, keys))
  const cookie = sessionCookies(session, settings, 60, undefined)
    .map((each) => each.split(';')[0])
    .join('; ')
  return clientOf(contract, {
    baseUrl: 'http://markbook.test',
    send: async (request) => {
      request.headers.set('cookie', cookie)
      return app.fetch(request)
    },
  })
}
