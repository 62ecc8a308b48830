import { gunzipSync, gzipSync } from 'node:zlib'
import { headersOf } from '../../replication/line/headers.ts'
import type { Carrier } from '../../replication/line/parent-line.ts'
import { asSystem } from '../../store/tx.ts'
import { unpacked } from '../../testing/nodes.ts'
import type { Chance } from './chance.ts'
import type { WorldNode } from './node.ts'
import type { Ending } from './round.ts'

/** What somebody on the line, who has no key, does to one exchange. The first four change a request, and the last the order of some. */
const alterations = [
  'a request is changed',
  'a header of a request is changed',
  'a request of another time',
  'a request comes elsewhere',
  'a reply is changed',
  'a reply of another time',
  'a reply by nobody',
  'a request is said again',
] as const
type Alteration = (typeof alterations)[number]

type Body = Uint8Array<ArrayBuffer>
type SeenRequest = { to: string; url: string; headers: Headers; body: Body }
type SeenReply = { body: Body; status: number; headers: Headers }
type Ends = { child: WorldNode; parent: WorldNode }

/** How much of what went by somebody on the line remembers. */
const REMEMBERED = 40
const OFTEN = 0.1

/**
 * A line on which requests and replies are changed, cut, repeated and swapped between sessions. Its oracle: who gets one of them stores
 * nothing, and the round ends as if the line had broken (SPEC, P5, M9, M11).
 */
export class AlteringLine {
  private readonly said: SeenRequest[] = []
  private readonly heard: SeenReply[] = []

  constructor(
    private readonly chance: Chance,
    private readonly nodes: () => readonly WorldNode[],
    private readonly tell: { say(text: string): void; fail(text: string): void },
  ) {}

  /** What was said to a database that was put back may be new to it. */
  forget(name: string): void {
    this.said.splice(0, this.said.length, ...this.said.filter(({ to }) => to !== name))
  }

  /** `carry`, on which one exchange of a round may be altered, and what is to be asked when the round has ended. */
  on(ends: Ends, carry: Carrier): { carry: Carrier; ended(ending: Ending): Promise<void> } {
    let after: { what: Alteration; image: string } | null = null
    return {
      carry: async (request) => {
        const what = after === null && this.chance.often(OFTEN) ? this.chance.pick(alterations) : null
        if (what === null || !this.can(what)) return this.plain(ends, carry, request)
        const { pathname } = new URL(request.url)
        this.tell.say(`· ${what}: ${pathname}`)
        if (what === 'a request is said again') {
          await this.failing(this.unheard(ends.parent, what, this.chance.pick(this.to(ends.parent))))
          return this.plain(ends, carry, request)
        }
        after = { what, image: await imageOf(ends.child) }
        const response = await this.failing(this.altered(what, ends, request))
        // A parent that was put back may not know who asks, whatever is said: then it is told so, and goes on as who it was before.
        if (what === 'a request is changed' && (await response.clone().text()).includes('"sync.unknown_node"')) after = null
        return response
      },
      ended: async (ending) => {
        if (after === null) return
        if (ending !== 'broken') this.tell.fail(`${after.what}, and the round of ${ends.child.name} ends ${ending}`)
        if ((await imageOf(ends.child)) !== after.image) this.tell.fail(`${after.what}, and ${ends.child.name} stores something`)
      },
    }
  }

  /** To the child every error of a carrier is one of the line. */
  private async failing<T>(done: Promise<T>): Promise<T> {
    return done.catch((error: unknown) => {
      this.tell.fail(`thrown on the line: ${error instanceof Error ? error.stack : String(error)}`)
      throw error
    })
  }

  private can(what: Alteration): boolean {
    if (what === 'a request of another time' || what === 'a request is said again') return this.said.length > 0
    return what !== 'a reply of another time' || this.heard.length > 0
  }
  private to = ({ name }: WorldNode): readonly SeenRequest[] => {
    const own = this.said.filter(({ to }) => to === name)
    return own.length > 0 ? own : this.said
  }

  private async plain(ends: Ends, carry: Carrier, request: Request): Promise<Response> {
    const said = await this.copyOf(ends.parent, request.clone())
    const response = await carry(request)
    const body = new Uint8Array(await response.arrayBuffer())
    remember(this.heard, { body, status: response.status, headers: response.headers })
    if (response.ok) remember(this.said, said)
    return new Response(body, { status: response.status, headers: response.headers })
  }

  private async altered(what: Alteration, { parent }: Ends, request: Request): Promise<Response> {
    const { chance } = this
    const said = await this.copyOf(parent, request)
    if (what === 'a request is changed') return this.unheard(parent, what, { ...said, body: changed(said.body, chance) })
    // What it says is heard as it was said, or not at all; the reply is to another request.
    if (what === 'a header of a request is changed') return unpacked(await fetched(parent, this.otherHeader(said)))
    if (what === 'a request of another time') return this.unheard(parent, what, chance.pick(this.to(parent)))
    if (what === 'a request comes elsewhere') return this.unheard(chance.pick(this.nodes().filter((each) => each !== parent)), what, said)
    const response = await unpacked(await fetched(parent, said))
    const { status, headers } = response
    const body = new Uint8Array(await response.arrayBuffer())
    if (what === 'a reply is changed') return new Response(changed(body, chance), { status, headers })
    const other = what === 'a reply by nobody' ? this.byNobody(headers) : chance.pick(this.heard)
    return new Response(other.body, { status: other.status, headers: other.headers })
  }

  /** A request that must leave nothing behind where it comes. */
  private async unheard(at: WorldNode, what: Alteration, said: SeenRequest): Promise<Response> {
    const before = await imageOf(at)
    const response = await unpacked(await fetched(at, said))
    if (response.status >= 500) this.tell.fail(`${what}: ${at.name} answered ${response.status}`)
    if ((await imageOf(at)) !== before) this.tell.fail(`${what}, and ${at.name} stores something`)
    return response
  }

  private async copyOf({ name }: WorldNode, request: Request): Promise<SeenRequest> {
    return { to: name, url: request.url, headers: request.headers, body: new Uint8Array(await request.arrayBuffer()) }
  }

  private otherHeader(said: SeenRequest): SeenRequest {
    const { chance } = this
    const headers = new Headers(said.headers)
    const isGreeting = new URL(said.url).pathname === '/sync/hello'
    // Of whoever does not greet nobody looks for a challenge; and where another parent is named than there is, this one signs all the same.
    const unread: readonly string[] = [headersOf.parent, ...(isGreeting ? [] : [headersOf.challenge])]
    const names = Object.values(headersOf).filter((each) => !unread.includes(each))
    const name = chance.pick([...names, 'content-encoding'])
    const before = headers.get(name) ?? ''
    const elsewhere = this.said.map((each) => each.headers.get(name) ?? '').filter((each) => each !== before && each !== '')
    headers.set(name, elsewhere.length > 0 && chance.often(0.5) ? chance.pick(elsewhere) : otherText(name, before, chance))
    return { ...said, headers }
  }

  /** A refusal that the parent has not signed, under the signature of its reply or of none. */
  private byNobody(signed: Headers): SeenReply {
    const [status, code] = this.chance.pick([
      [403, 'sync.revoked'],
      [401, 'sync.unknown_node'],
      [426, 'sync.upgrade_needed'],
      [409, 'sync.stale_session'],
      [200, ''],
    ] as const)
    const headers = new Headers(this.chance.often(0.5) ? signed : {})
    headers.set('content-type', 'application/json')
    return { body: textOf({ statusCode: status, code, message: 'Go away.' }), status, headers }
  }
}

function remember<T>(all: T[], one: T): void {
  all.push(one)
  if (all.length > REMEMBERED) all.shift()
}

const fetched = async ({ app }: WorldNode, { url, headers, body }: SeenRequest): Promise<Response> =>
  app.fetch(new Request(url, { method: 'POST', headers, body }))

/** Every digit of a number is another one, and a text has another character. */
function otherText(name: string, before: string, chance: Chance): string {
  if (name === headersOf.protocol) return chance.pick(['1', ''])
  if (name === headersOf.number) return String(Number(before) + chance.pick([-1, 1, 1_000]))
  if (name === 'content-encoding') return before === 'gzip' ? 'identity' : 'gzip'
  const at = chance.below(Math.max(1, before.length))
  return `${before.slice(0, at)}${before[at] === 'a' ? 'b' : 'a'}${before.slice(at + 1)}`
}

/** Cut short, with another bit, or with another value where it is JSON. */
function changed(body: Body, chance: Chance): Body {
  const how = chance.pick(['a bit', 'a value', 'a value', 'an end'] as const)
  if (how === 'an end') return body.slice(0, chance.below(Math.max(1, body.length)))
  const plain = how === 'a value' ? jsonIn(body) : null
  if (plain === null) {
    const copy = body.slice()
    const at = chance.below(Math.max(1, copy.length))
    copy[at] = (copy[at] ?? 0) ^ (1 << chance.below(8))
    return copy
  }
  const text = textOf(otherValue(plain.value, chance))
  return plain.isPacked ? new Uint8Array(gzipSync(text, { level: 1 })) : text
}

const textOf = (value: unknown): Body => new Uint8Array(Buffer.from(JSON.stringify(value)))
function jsonIn(body: Body): { value: unknown; isPacked: boolean } | null {
  const isPacked = body[0] === 0x1f && body[1] === 0x8b
  try {
    return { value: JSON.parse(Buffer.from(isPacked ? gunzipSync(body) : body).toString('utf8')), isPacked }
  } catch {
    return null
  }
}

/** The same with one of its leaves changed. */
function otherValue(value: unknown, chance: Chance): unknown {
  if (typeof value === 'number') return value + chance.pick([-1, 1, 40])
  if (typeof value === 'boolean') return !value
  if (typeof value === 'string') return value.length === 0 ? 'x' : `${value.slice(0, -1)}${value.endsWith('0') ? '1' : '0'}`
  if (value === null) return 0
  const entries = Object.entries(value as object)
  if (entries.length === 0) return Array.isArray(value) ? [0] : { x: 0 }
  const [name] = chance.pick(entries)
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) }
  return Object.assign(copy, { [name]: otherValue((value as Record<string, unknown>)[name], chance) })
}

/** Everything that a node stores, as far as its feeds, its peers, its lists and its numbers tell. */
function imageOf({ store }: WorldNode): Promise<string> {
  return store.read(asSystem(), async ({ t, connection: { db } }) => {
    const { sync_feed, sync_peer, sync_refused, sync_held, node } = t
    const lists = [await db.select({ id: sync_refused.id }).from(sync_refused), await db.select({ id: sync_held.row_id }).from(sync_held)]
    return JSON.stringify([await db.select().from(sync_feed), await db.select().from(sync_peer), await db.select().from(node), ...lists])
  })
}
