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
  const { seq: after } = await from.read(asSystem(), (tx) => tx.dialect.feedOf(tx.connection, stBrigids))
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

describe('what somebody saves while a page comes', () => {
  const latin = { school_id: stBrigids, name: 'Latin', code: 'LAT', sort_order: 9, is_active: true }
  const opened = (tx: WriteTx) => tx.insert('subject', [{ ...latin, id: tx.newId() }])
  const waiting = (node: School) => node.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_held))

  test('the same code of a subject: one of the two has a marked one, and neither waits for another page', async () => {
    const node = await here()
    const page = await pageFrom('other', node, opened)
    await meanwhile(node, opened, () => applied(node, page))
    const codes = (await node.rows('subject')).filter(({ name }) => name === 'Latin').map(({ code }) => code)
    expect(codes.sort()).toEqual(['LAT', expect.stringMatching(/^LAT~/)])
    expect(await waiting(node)).toEqual([])
  })

  test('the end of a subject in which an assessment comes: the subject is there again, and the assessment does not wait', async () => {
    const node = await here()
    const [subject] = await node.services.store.write(asSystem(), opened)
    if (!subject) throw new Error('there is no subject')
    const { term_id, assessment_type } = mathsHilary
    const page = await pageFrom('other', node, (tx) => {
      const row = { school_id: stBrigids, term_id, assessment_type, title: 'Vocabulary', max_score: 10, is_excluded: false }
      return tx.insert('assessment', [{ ...row, id: tx.newId(), subject_id: subject.id }])
    })
    await meanwhile(
      node,
      (tx) => tx.remove('subject', [subject]),
      () => applied(node, page),
    )
    expect((await node.rows('subject')).filter(({ id }) => id === subject.id)).toHaveLength(1)
    expect((await node.rows('assessment')).filter(({ subject_id }) => subject_id === subject.id)).toHaveLength(1)
    expect(await waiting(node)).toEqual([])
  })
})
