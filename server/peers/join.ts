import { type Join, Joined, PROTOCOL } from '@markbook/sync/protocol/messages'
import { eq } from 'drizzle-orm'
import type { Services } from '../http/services.ts'
import { asSystem } from '../store/tx.ts'
import { NEW_PEER, parentsOf } from './enrolment.ts'
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
  const schools = await store.read(asSystem(), (tx) => tx.db.select({ id: tx.t.school.id }).from(tx.t.school))
  const asked: Join = {
    protocol: PROTOCOL,
    code,
    node: store.nodeId,
    kind,
    name: config.nodeName,
    public_key: keys.publicKey,
    box_key: keys.boxKey,
    school: schools[0]?.id ?? null,
  }
  const body = JSON.stringify(asked)
  const request = new Request(new URL('/sync/join', url), { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const response = await carry(request).catch((error: unknown) => {
    throw new LineFailure('line', error instanceof Error ? error.message : String(error))
  })
  const answer = (await response.json().catch(() => ({ message: `No Markbook answers at ${url}.` }))) as { code?: string; message?: string }
  if (!response.ok) throw new LineFailure(answer.code ?? 'line', answer.message ?? `The answer was ${response.status}.`)
  return Joined.parse(answer)
}
