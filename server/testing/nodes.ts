import { gunzipSync } from 'node:zlib'
import type { Client } from '@markbook/shared/contract/client'
import type { contract } from '@markbook/shared/contract/contract'
import { type PersonName, people, stBrigids } from '@markbook/shared/story/people'
import { cookieName, sessionCookies } from '../http/cookies.ts'
import { startSession } from '../http/sessions.ts'
import { transferFiles } from '../replication/files/transfer.ts'
import { invite, parentsOf } from '../replication/identity/enrolment.ts'
import { beginAnew, keysOfEnrolment } from '../replication/incarnation/incarnation.ts'
import { NumberGivenUp } from '../replication/incarnation/number.ts'
import { type Carrier, ParentLine } from '../replication/line/parent-line.ts'
import { Child, type Program } from '../replication/upstream/child.ts'
import { joinParent } from '../replication/upstream/join.ts'
import { asSystem } from '../store/tx.ts'
import type { School } from './school.ts'

/** A node under another, with a connection that can be cut, and rounds that the test starts. */
export type UnderParent = {
  node: School
  line: { cut: boolean }
  /** Greets, pushes everything new and pulls everything new; with `line.cut` it throws. */
  round(): Promise<void>
  /** Transfers the waiting files. */
  files(): Promise<void>
}

/** Each parent of a node has its own address. */
const addressAt = (place: number) => `https://parent${place === 0 ? '' : place + 1}.test`

/** Decompresses a response, as `fetch` does. */
export async function unpacked(response: Response): Promise<Response> {
  if (response.headers.get('content-encoding') !== 'gzip') return response
  const headers = new Headers(response.headers)
  headers.delete('content-encoding')
  return new Response(new Uint8Array(gunzipSync(await response.arrayBuffer())), { status: response.status, headers })
}

/** A carrier to a node in this process. */
export const carrierTo =
  (parent: Pick<School, 'app'>, line = { cut: false }): Carrier =>
  async (request) => {
    if (line.cut) throw new Error('the line is cut')
    return unpacked(await parent.app.fetch(request))
  }

/**
 * Joins `node` to `parent` without a round. A laptop is `user`'s. The head issues the code for her school, the command line for any other.
 */
export async function under(
  parent: School,
  node: School,
  { user = null, school = stBrigids }: { user?: string | null; school?: string | null } = {},
): Promise<UnderParent> {
  const kind = user ? 'laptop' : 'school'
  const { code } = await parent.services.store.write(asSystem(), (tx) =>
    invite(tx, { kind, schoolId: school, userId: user, by: school === stBrigids ? people.okafor.id : null }),
  )
  const place = (await node.services.store.read(asSystem(), parentsOf)).length
  await joinParent(node.services, { url: addressAt(place), code, kind }, carrierTo(parent))
  return lineBetween(parent, node, place)
}

/** The same for a node that has already joined; `place`: the index of the parent. */
export function lineBetween(parent: School, node: School, place = 0): UnderParent {
  const line = { cut: false }
  const carry = carrierTo(parent, line)
  return { node, line, round: () => makeRound(node, carry, place), files: () => carryFiles(node, carry, place) }
}

/** One round with the node's parent at `place` over any carrier, by this `program` or another; restarts where that is required. */
export async function makeRound(node: School, carry: Carrier, place = 0, program?: Program): Promise<void> {
  const { services } = node
  const parent = (await services.store.read(asSystem(), parentsOf))[place]
  if (!parent) throw new Error('this node has no parent')
  const line = new ParentLine(parent, keysOfEnrolment(services, parent), carry)
  const child = new Child(services, parent.id, line, program)
  if ((await child.greet()).anew) {
    await beginAnew(services, parent.id, line)
    return makeRound(node, carry, place, program)
  }
  try {
    while ((await child.push()).more);
    while ((await child.pull(0)).more);
  } catch (error) {
    if (!(error instanceof NumberGivenUp)) throw error
    return makeRound(node, carry, place, program)
  }
}

/** Transfers the files that may be transferred now between a node and its parent at `place`. */
export async function carryFiles({ services }: School, carry: Carrier, place = 0): Promise<void> {
  const { line, id } = await greeted(services, carry, place)
  await transferFiles({ services, peerId: id, line })
}

/** The session of a node with its parent. */
export const lineOf = async ({ services }: School, parent: School): Promise<ParentLine> =>
  (await greeted(services, carrierTo(parent), 0)).line

async function greeted(services: School['services'], carry: Carrier, place: number): Promise<{ line: ParentLine; id: string }> {
  const parent = (await services.store.read(asSystem(), parentsOf))[place]
  if (!parent) throw new Error('this node has no parent')
  const line = new ParentLine(parent, keysOfEnrolment(services, parent), carry)
  await new Child(services, parent.id, line).greet()
  return { line, id: parent.id }
}

/** The Cookie header of a new session of a person, at a node that received its people from another. */
export async function cookieAt({ services }: School, name: PersonName): Promise<string> {
  const { store, keys, config } = services
  const settings = { name: cookieName(config.cookiePrefix, config.projectRef), secure: false }
  const session = await store.write(asSystem(), (tx) => startSession(tx, people[name].id, keys))
  return sessionCookies(session, settings, 60, undefined)
    .map((each) => each.split(';')[0])
    .join('; ')
}

/** A client of a person with a new session at this node. */
export const signedIn = async (node: School, name: PersonName): Promise<Client<typeof contract>> =>
  node.clientWith(await cookieAt(node, name))
