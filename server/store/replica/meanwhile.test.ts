import { naturalId } from '@markbook/shared/ids'
import { mathsHilary, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { afterEach, describe, expect, test } from 'vitest'
import { meanwhile } from '../../testing/meanwhile.ts'
import { type School, school } from '../../testing/school.ts'
import { asSystem, type WriteTx } from '../tx.ts'
import { applyStates } from './apply.ts'
import { readFeed } from './feed.ts'
import { copySchool } from './replica.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

type Write = (tx: WriteTx) => Promise<unknown>
/** A school on the database of this run. */
async function here(): Promise<School> {
  const node = await school({ seed: 'here' })
  open.push(node)
  return node
}

/** Another node with a copy of the school writes something there; answers how the page that brings it is applied. */
async function pageFrom(seed: string, node: School, write: Write): Promise<Write> {
  const other = await school({ seed, story: false, database: 'sqlite' })
  open.push(other)
  const [from, to] = [other.services.store, node.services.store]
  await copySchool(to, from)
  const { seq: after } = await from.read(asSystem(), (tx) => tx.dialect.feedOf(tx.line, stBrigids))
  await from.write(asSystem(people.okafor.id), write)
  const { rows } = await from.read(asSystem(), (tx) => readFeed(tx, stBrigids, { after, limit: 100, notFrom: [to.nodeId] }))
  return (tx) => applyStates(tx, stBrigids, rows, { source: from.nodeId })
}
const applied = (node: School, page: Write) => node.services.store.write(asSystem(), page)

describe('a mark and a maximum below it, at once', () => {
  const highest: Write = async (tx) => {
    const before = await tx.find('grade', stBrigids, naturalId('grade', mathsHilary.id, zoe.id))
    await tx.update('grade', before ? [{ before, patch: { score: 60 } }] : [])
  }
  const lowered: Write = async (tx) => {
    const before = await tx.find('assessment', stBrigids, mathsHilary.id)
    await tx.update('assessment', before ? [{ before, patch: { max_score: 59 } }] : [])
  }
  const maximumAt = async (node: School) => (await node.rows('assessment')).find(({ id }) => id === mathsHilary.id)?.max_score

  test('a maximum that somebody enters while the mark comes is refused', async () => {
    const node = await here()
    const page = await pageFrom('other', node, highest)
    const lower = () => node.as.okafor.assessments.update.raw({ params: { id: mathsHilary.id }, body: { maxScore: 59 } })
    expect(await meanwhile(node, page, lower)).toMatchObject({ status: 409, body: { code: 'assessments.score_above_maximum' } })
    expect(await maximumAt(node)).toBe(60)
  })

  test('a mark that comes while the maximum is lowered stands, and so does the maximum above it', async () => {
    const node = await here()
    const page = await pageFrom('other', node, highest)
    await meanwhile(node, lowered, () => applied(node, page))
    expect(await maximumAt(node)).toBe(60)
  })

  test.each(['the mark', 'the maximum'])('from two nodes, %s first', async (first) => {
    const node = await here()
    const pages = [await pageFrom('one', node, highest), await pageFrom('two', node, lowered)] as const
    const [earlier, later] = first === 'the mark' ? pages : [pages[1], pages[0]]
    await meanwhile(node, earlier, () => applied(node, later))
    expect(await maximumAt(node)).toBe(60)
  })
})
