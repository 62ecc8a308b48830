import { parentsOf } from '../../replication/identity/enrolment.ts'
import { keysOfEnrolment } from '../../replication/incarnation/incarnation.ts'
import { type Carrier, ParentLine } from '../../replication/line/parent-line.ts'
import { Child } from '../../replication/upstream/child.ts'
import { Comparison } from '../../replication/upstream/comparison.ts'
import { asSystem } from '../../store/tx.ts'
import { carrierTo } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { signedAnew } from '../../testing/signed-anew.ts'

const MINUTE = 60_000
export const DAY = 86_400_000
const bounds = {
  startDelayMs: 0,
  everyMs: DAY,
  jitter: { startMs: 0, dayMs: 0 },
  recheckMs: MINUTE,
  retryMs: MINUTE,
  mergeAfterMs: DAY / 2,
  repairReportedMs: 14 * DAY,
}

/** A node that compares with its parent, quiet moment by quiet moment, as its server does. */
export type Comparing = {
  /** So many quiet moments, two minutes apart; what is new goes and comes before each. Answers how often the parent was asked what it holds. */
  moments(count: number): Promise<number>
  /** As many as it takes until what was found is mended. */
  untilMended(): Promise<void>
}

export async function comparing(node: School, parent: School, carry: Carrier = carrierTo(parent)): Promise<Comparing> {
  const { services } = node
  const [enrolled] = await services.store.read(asSystem(), parentsOf)
  if (!enrolled) throw new Error('this node has no parent')
  let asked = 0
  const line = new ParentLine(enrolled, keysOfEnrolment(services, enrolled), (request) => {
    if (request.url.endsWith('/sync/verify')) asked += 1
    return carry(request)
  })
  const child = new Child(services, enrolled.id, line)
  const comparison = new Comparison(services, bounds)
  const moment = async () => {
    if (!line.isGreeted) await child.greet()
    while ((await child.push()).more);
    while ((await child.pull(0)).more);
    if (comparison.wait() === 0) await comparison.step(enrolled.id, { child, line })
    for (const { clock } of [node, parent]) clock.advance(2 * MINUTE)
  }
  return {
    moments: async (count) => {
      const before = asked
      for (let left = count; left > 0; left -= 1) await moment()
      return asked - before
    },
    untilMended: async () => {
      for (let left = untilMerged; left > 0 && !(await differenceAt(node))?.healed_at; left -= 1) await moment()
    },
  }
}

/** Past the program, as a hand with the database in an editor does it to its marks. */
export const byHand = ({ services }: School, statement: (marks: string) => string) =>
  services.store.write(asSystem(), (tx) => tx.connection.run(statement(tx.dialect.name === 'sqlite' ? 'grade' : 'grading.grade'), []))

export const differenceAt = async ({ services }: School) => (await services.store.read(asSystem(), parentsOf))[0]?.difference ?? null

/** Quiet moments in which everything is merged again and compared once more: a page each. */
export const untilMerged = 70

type TableDigests = { tables: { table: string; count: number; digest: string }[] }
/** A line on which the parent says what it holds a moment later, or something else. */
export const ofOther =
  (parent: School, meanwhile: (told: TableDigests) => TableDigests['tables'] | Promise<unknown>): Carrier =>
  async (request) => {
    const response = await carrierTo(parent)(request)
    if (!request.url.endsWith('/sync/verify') || !response.ok) return response
    const told = (await response.json()) as TableDigests
    const tables = await meanwhile(told)
    return signedAnew(parent, request, response, Array.isArray(tables) ? { ...told, tables } : told)
  }
