import type { Row } from '@markbook/shared/tables/tables'
import { eq } from 'drizzle-orm'
import { beginAnew, keysOfEnrolment } from '../../replication/incarnation/incarnation.ts'
import { NumberGivenUp } from '../../replication/incarnation/number.ts'
import { type Carrier, LineFailure, ParentLine } from '../../replication/line/parent-line.ts'
import { Child } from '../../replication/upstream/child.ts'
import { look } from '../../replication/upstream/comparison.ts'
import { meetOthers } from '../../replication/upstream/other-parents.ts'
import { statement } from '../../store/statement.ts'
import { asSystem } from '../../store/tx.ts'
import { Crash, type WorldNode } from './node.ts'

/** How a round ended: `whole`, broken off by a fault, or because the parent will not have this node. */
export type Ending = 'whole' | 'broken' | 'revoked' | 'lost'

const everyParent = statement()(({ db, t: { sync_peer } }) => db.select().from(sync_peer).where(eq(sync_peer.side, 'parent')))

/** A child's enrolment at a parent, read anew: a new incarnation replaces it. */
export async function enrolmentAt(child: WorldNode, parent: WorldNode): Promise<Row<'sync_peer'> | undefined> {
  const { id } = parentAddress(parent)
  const rows = await child.store.read(asSystem(), (tx) => everyParent(tx, {}))
  return rows.find(({ url }: Row<'sync_peer'>) => url === id)
}
export const parentAddress = ({ name }: WorldNode) => ({ id: `https://${name}.test` })

type Take = <T>(name: string, step: () => Promise<T>) => Promise<T>
/** True where it gave up its number on the way, and must greet again. */
async function bothWays(own: Child, take: Take): Promise<boolean> {
  try {
    while ((await take('push', () => own.push())).more);
    while ((await take('pull', () => own.pull(0))).more);
    // What this node wrote meanwhile, over what was refused, goes before it listens.
    while ((await take('push', () => own.push())).more);
    return false
  } catch (error) {
    if (error instanceof NumberGivenUp) return true
    throw error
  }
}

/** A laptop may have to give up its number for what leaves it with a page, and once more for what was refused meanwhile. */
const MOST_TRIES = 7

/**
 * Greets, sends what is new and takes what is new, as the driver does. `steps`: after so many the child stops as one whose power went;
 * `crash` chooses for each step whether its next commit is cut.
 */
export async function makeRound(
  child: WorldNode,
  parent: WorldNode,
  carry: Carrier,
  {
    steps = 60,
    crash = () => null,
    tell = () => {},
  }: { steps?: number; crash?: () => WorldNode['crash']; tell?: (what: string) => void } = {},
): Promise<Ending> {
  let left = steps
  const take = async <T>(name: string, step: () => Promise<T>): Promise<T> => {
    if (left <= 0) throw new Crash('the power went between two steps')
    left -= 1
    child.crash = crash()
    if (child.crash) tell(`· ${child.name} crashes ${child.crash} in ${name}`)
    return step()
  }
  try {
    for (let anew = true, tries = 0; anew; tries += 1) {
      if (tries > MOST_TRIES) throw new Error(`${child.name} begins anew without end`)
      const enrolment = await enrolmentAt(child, parent)
      if (!enrolment) return 'lost'
      const line = new ParentLine(enrolment, keysOfEnrolment(child.services, enrolment), carry)
      const own = new Child(child.services, enrolment.id, line)
      anew = (await take('greet', () => own.greet())).anew
      if (anew) await take('renew', () => beginAnew(child.services, enrolment.id, line))
      else anew = await bothWays(own, take)
    }
    return 'whole'
  } catch (error) {
    if (error instanceof Crash) {
      await child.restart()
      return 'broken'
    }
    if (!(error instanceof LineFailure)) throw error
    tell(`· ${error.code}: ${error.message}`)
    return error.code === 'sync.revoked' || error.code === 'sync.unknown_node' ? 'revoked' : 'broken'
  } finally {
    child.crash = null
  }
}

/** What a laptop does once a day beside speaking with its first parent: it meets the others, and begins anew with one that wants it. */
export async function meetOtherParents(
  child: WorldNode,
  parents: readonly WorldNode[],
  carryTo: (parent: WorldNode) => Carrier,
): Promise<void> {
  const lines = new Map(parents.map((parent) => [parentAddress(parent).id, carryTo(parent)]))
  const carry: Carrier = (request) => (lines.get(new URL(request.url).origin) as Carrier)(request)
  const place = await meetOthers(child.services, 0, carry)
  const parent = place === null ? undefined : parents[place]
  if (parent) await makeRound(child, parent, carryTo(parent))
}

/** What a child would see that compares itself with its parent at this moment, in words (SPEC, «Comparing»); nothing where all is the same. */
export async function seenAtParent(child: WorldNode, parent: WorldNode, carry: Carrier): Promise<string> {
  const enrolment = await enrolmentAt(child, parent)
  if (!enrolment) return ''
  const line = new ParentLine(enrolment, keysOfEnrolment(child.services, enrolment), carry)
  const own = new Child(child.services, enrolment.id, line)
  if ((await own.greet()).anew) return 'it would begin anew'
  while ((await own.push()).more);
  const { seen, differences } = await look(child.services, enrolment.id, line)
  return seen === 'same' ? '' : `${seen} ${differences.map(({ table, here, there }) => `${table} ${here}/${there}`).join(', ')}`
}
