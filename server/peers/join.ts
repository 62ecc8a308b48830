import { type Join, Joined, PROTOCOL } from '@markbook/sync/protocol/messages'
import { eq } from 'drizzle-orm'
import type { Services } from '../http/services.ts'
import { asSystem } from '../store/tx.ts'
import { NEW_PEER, parentsOf } from './enrolment.ts'
import { mayHaveArrived, troubleOf } from './line-trouble.ts'
import { type Carrier, LineFailure } from './parent-line.ts'
import { keysHere } from './routes.ts'

/**
 * Joins a parent by its invitation. A school that started alone brings its rows; one that is empty gets those of the school that the
 * invitation is for. Throws `LineFailure` with the parent's code. Where it stops half way, it is done again with another invitation.
 */
export async function joinParent(
  services: Pick<Services, 'store' | 'config'>,
  { url, code, kind }: { url: string; code: string; kind: 'school' | 'laptop' },
  carry: Carrier = fetch,
): Promise<Joined> {
  const { store } = services
  const joined = await ask(services, url, code, kind, carry).catch(async (error: unknown) => {
    if (!(error instanceof LineFailure) || error.code !== 'sync.node_taken') throw error
    await store.renewNode()
    return ask(services, url, code, kind, carry)
  })
  await store.write(asSystem(), async (tx) => {
    const { sync_peer } = tx.t
    const place = (await parentsOf(tx)).length
    const { node, kind: parentKind, name, public_key, box_key } = joined.parent
    await tx.local.delete(tx.t.sync_peer).where(eq(sync_peer.id, joined.peer))
    await tx.local.insert(tx.t.sync_peer).values({
      ...NEW_PEER,
      id: joined.peer,
      side: 'parent',
      kind: parentKind,
      name,
      school_id: joined.school,
      user_id: joined.user,
      node_id: node,
      url: new URL(url).origin,
      place,
      public_key,
      box_key,
      own_epoch: store.nodeId,
      enrolled_at: tx.now,
    })
  })
  return joined
}

async function ask(
  services: Pick<Services, 'store' | 'config'>,
  url: string,
  code: string,
  kind: 'school' | 'laptop',
  carry: Carrier,
): Promise<Joined> {
  const { store, config } = services
  const keys = keysHere(services)
  const [own] = await store.read(asSystem(), (tx) => tx.db.select({ id: tx.t.school.id, name: tx.t.school.name }).from(tx.t.school))
  const asked: Join = {
    protocol: PROTOCOL,
    code,
    node: store.nodeId,
    kind,
    name: config.nodeName,
    public_key: keys.publicKey,
    box_key: keys.boxKey,
    school: own?.id ?? null,
  }
  const body = JSON.stringify(asked)
  const request = new Request(new URL('/sync/join', url), { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const response = await carry(request).catch((error: unknown) => {
    throw new LineFailure('line', `${troubleOf(error, url)}${mayHaveArrived(error) ? MAYBE_TAKEN : ''}`)
  })
  const noMarkbook = { message: `No Markbook answers at ${url}.` }
  const answer = (await response.json().catch(() => noMarkbook)) as { code?: string; message?: string }
  const said = answer.message ?? `The answer was ${response.status}.`
  // The other server may not know what the school here is called.
  if (answer.code === 'sync.school_taken' && own && !said.includes(own.name))
    throw new LineFailure(answer.code, `${said} This server holds ${own.name}.`)
  if (!response.ok) throw new LineFailure(answer.code ?? 'line', said)
  const { success, data: joined } = Joined.safeParse(answer)
  if (!success) throw new LineFailure('line', noMarkbook.message)
  // A parent that has nothing of a school yet does not know what it is called.
  return own ? { ...joined, school_name: own.name } : joined
}

const MAYBE_TAKEN =
  ' It may have taken the code all the same. If the code is refused the next time, ask for another one there, and let them revoke what their markbook node list shows as never heard.'
