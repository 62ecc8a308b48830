import { naturalId } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import { mathsExam, zoe } from '@markbook/shared/story/marks'
import { stBrigids } from '@markbook/shared/story/people'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { exportUp, importBundle } from '../replication/exchange/by-hand.ts'
import { parentsOf } from '../replication/identity/enrolment.ts'
import { keysOfEnrolment } from '../replication/incarnation/incarnation.ts'
import { ParentLine } from '../replication/line/parent-line.ts'
import { differencesOf, digestsOf } from '../replication/scope/verify.ts'
import { Child } from '../replication/upstream/child.ts'
import { setPeer } from '../store/peer-row.ts'
import { contentsOf } from '../store/replica/replica.fixtures.ts'
import { asSystem } from '../store/tx.ts'
import { withLowerLimit } from '../testing/lower-limit.ts'
import { meanwhile } from '../testing/meanwhile.ts'
import { signedIn, type UnderParent, under, unpacked } from '../testing/nodes.ts'
import { type School, school } from '../testing/school.ts'
import { pdfOfSize, uploadedAt } from './scenarios/files.fixtures.ts'

let centre: School
let box: School
let link: UnderParent
beforeEach(async () => {
  centre = await school({ seed: 'centre' })
  box = await school({
    seed: 'box',
    story: false,
    database: 'sqlite',
    env: { SESSION_SECRET: 'another secret that only this school knows' },
  })
  link = await under(centre, box)
  await link.round()
  link.line.cut = true
})
afterEach(async () => {
  await box.close()
  await centre.close()
})

const gradeId = naturalId('grade', mathsExam.id, zoe.id)
const scoreAt = async (at: School) => (await at.rows('grade')).find(({ id }) => id === gradeId)?.score
const bundleOf = async (more: { all?: boolean } = {}) => {
  const [parent] = await box.services.store.read(asSystem(), parentsOf)
  if (!parent) throw new Error('the school has no parent')
  return (await exportUp(box.services, parent, more)).bundle
}
const enter = async (at: School, score: number) => {
  await (await signedIn(at, 'ada')).grades.update({ params: { id: gradeId }, body: { score } })
}

describe('a stick instead of a line', () => {
  test('brings up what was written, and back what is new and what became of it', async () => {
    await enter(box, 81)
    await centre.as.okafor.subjects.create({ body: { name: 'Music', code: 'MU' } })
    const up = await importBundle(centre.services, await bundleOf())
    expect(up).toMatchObject({ direction: 'up', refused: 0, held: 0 })
    expect(await scoreAt(centre)).toBe(81)
    await importBundle(box.services, up.receipt as Buffer)
    expect(await contentsOf(box.services.store)).toEqual(await contentsOf(centre.services.store))
  })

  test('that is taken in where it was written says so, and whose it is', async () => {
    await enter(box, 81)
    const before = await contentsOf(box.services.store)
    const [parent] = await box.services.store.read(asSystem(), parentsOf)
    await expect(importBundle(box.services, await bundleOf())).rejects.toThrow(
      `written by this server. It is for ${parent?.name}: carry it`,
    )
    expect(await contentsOf(box.services.store)).toEqual(before)
  })

  test('is taken in twice, and in any order with the line, without a trace', async () => {
    await enter(box, 81)
    const first = await bundleOf()
    await enter(box, 82)
    const { receipt } = await importBundle(centre.services, first)
    await importBundle(centre.services, first)
    link.line.cut = false
    await link.round()
    await importBundle(centre.services, first)
    await importBundle(box.services, receipt as Buffer)
    await importBundle(box.services, receipt as Buffer)
    await enter(box, 83)
    await link.round()
    expect([await scoreAt(box), await scoreAt(centre)]).toEqual([83, 83])
    expect(await centre.as.okafor.replication.nodes()).toHaveLength(1)
  })

  test('does not set back what a page over the line says that is being taken in meanwhile', async () => {
    await enter(box, 81)
    const bundle = await bundleOf()
    const childAt = async () => (await centre.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_peer)))[0]
    const further = { own_seq: 1_000, highest_counter: 1_000 }
    const { id } = (await childAt()) ?? { id: '' }
    await meanwhile(
      centre,
      (tx) => setPeer(tx, id, further),
      () => importBundle(centre.services, bundle),
    )
    expect(await childAt()).toMatchObject(further)
  })

  test('the receipt is what the next bundle goes on from', async () => {
    await enter(box, 81)
    const { receipt } = await importBundle(centre.services, await bundleOf())
    await importBundle(box.services, receipt as Buffer)
    await enter(box, 82)
    await importBundle(centre.services, await bundleOf())
    expect(await scoreAt(centre)).toBe(82)
  })

  test('that shows that this database was put back is not taken in before the two have met over a line', async () => {
    link.line.cut = false
    await enter(box, 81)
    await link.round()
    const { store } = centre.services
    await store.write(asSystem(), async (tx) => {
      await tx.local.update(tx.t.sync_peer).set({ own_seq: 0, highest_counter: 0 })
    })
    await enter(box, 82)
    const number = store.nodeId
    await expect(importBundle(centre.services, await bundleOf())).rejects.toThrow('put back to an earlier state')
    expect([await scoreAt(centre), store.nodeId]).toEqual([81, number])
    await link.round()
    expect(await scoreAt(centre)).toBe(82)
    expect(store.nodeId).not.toBe(number)
  })

  test('says nothing to who finds it, and nothing false of who changes it', async () => {
    await enter(box, 81)
    const bundle = await bundleOf()
    expect(bundle.toString('latin1')).not.toMatch(/Adeyemi|score/)
    const at = bundle.length - 100
    const changed = Buffer.from(bundle)
    changed[at] = changed[at] === 65 ? 66 : 65
    await expect(importBundle(centre.services, changed)).rejects.toThrow('was changed on its way')
    for (const more of ['x', '\n', 'a line\n'])
      await expect(importBundle(centre.services, Buffer.concat([bundle, Buffer.from(more)]))).rejects.toThrow('behind its end')
    const [head = '', ...rest] = bundle.toString('utf8').split('\n')
    const aimed = Buffer.from([JSON.stringify({ ...JSON.parse(head), cursor: null }), ...rest].join('\n'))
    await expect(importBundle(centre.services, aimed)).rejects.toThrow('was changed on its way')
    expect(await scoreAt(centre)).toBe(71)
  })

  test('of a program that writes it otherwise is not read, and says what to do', async () => {
    const [head = '', ...rest] = (await bundleOf()).toString('utf8').split('\n')
    const former = Buffer.from([JSON.stringify({ ...JSON.parse(head), protocol: 1 }), ...rest].join('\n'))
    await expect(importBundle(centre.services, former)).rejects.toThrow('made by another version of Markbook')
  })

  test('of a revoked node, of a stranger, and what is no bundle, are refused', async () => {
    const bundle = await bundleOf()
    const stranger = await school({ seed: 'stranger', story: false, database: 'sqlite' })
    await expect(importBundle(stranger.services, bundle)).rejects.toThrow('not for this server')
    await stranger.close()
    await expect(importBundle(centre.services, Buffer.from('marks\n'))).rejects.toThrow('no bundle')
    const [node] = await centre.as.okafor.replication.nodes()
    await centre.as.okafor.replication.revoke({ params: { id: node?.id ?? '' } })
    await expect(importBundle(centre.services, bundle)).rejects.toThrow('was revoked')
  })

  test('that goes on from one that never came is refused, and made whole with all', async () => {
    await enter(box, 81)
    // The centre said that it has this, and was restored from before.
    await box.services.store.write(asSystem(), async (tx) => {
      const { seq } = await tx.dialect.feedOf(tx.connection, stBrigids)
      await tx.local.update(tx.t.sync_peer).set({ own_seq: seq })
    })
    await enter(box, 82)
    await expect(importBundle(centre.services, await bundleOf())).rejects.toThrow('--all')
    await importBundle(centre.services, await bundleOf({ all: true }))
    expect(await scoreAt(centre)).toBe(82)
  })
})

describe('files on the stick', () => {
  const contentAt = async (at: School, path: string) => (await at.services.files.head('report-books', path))?.etag ?? null
  const counts = async () => {
    const { files_to_send, files_to_come } = await (await signedIn(box, 'okafor')).replication.status()
    return [files_to_send, files_to_come]
  }

  test('ride along both ways, and are not asked for again over the line', async () => {
    const [up, down] = [await uploadedAt(box, pdfOfSize(3_000)), await uploadedAt(centre, pdfOfSize(4_000))]
    const bundle = await bundleOf()
    const there = await importBundle(centre.services, bundle)
    expect(there).toMatchObject({ direction: 'up', files: 1 })
    expect(await contentAt(centre, up.file_path)).toBe(await contentAt(box, up.file_path))
    expect(bundle.toString('latin1')).not.toContain(up.file_path)
    expect(await importBundle(box.services, there.receipt as Buffer)).toMatchObject({ direction: 'down', files: 1 })
    expect(await contentAt(box, down.file_path)).toBe(await contentAt(centre, down.file_path))
    expect(await contentAt(box, down.file_path)).not.toBeNull()
    link.line.cut = false
    await link.round()
    await link.files()
    expect(await counts()).toEqual([0, 0])
  })

  test('B6: ride along up to a bound; the rest comes with the next stick', async () => {
    const pdfs = [await uploadedAt(box, pdfOfSize(3_000)), await uploadedAt(box, pdfOfSize(3_000))]
    const first = await withLowerLimit(limits.sync.files, 'stickBytes', 4_000, () => bundleOf())
    expect(await importBundle(centre.services, first)).toMatchObject({ files: 1 })
    await importBundle(centre.services, await bundleOf())
    for (const { file_path } of pdfs) expect(await contentAt(centre, file_path)).toBe(await contentAt(box, file_path))
  })

  test('that the school still lacks are asked for, and what is damaged on the way comes another time', async () => {
    const pdf = await uploadedAt(centre, pdfOfSize(4_000))
    link.line.cut = false
    await link.round()
    link.line.cut = true
    const up = await uploadedAt(box, pdfOfSize(3_000))
    const bundle = await bundleOf()
    await expect(importBundle(centre.services, Buffer.concat([bundle, Buffer.from('a file\n')]))).rejects.toThrow('behind its end')
    const damaged = Buffer.from(bundle)
    damaged[bundle.length - 50] = damaged[bundle.length - 50] === 65 ? 66 : 65
    const { files, receipt } = await importBundle(centre.services, damaged)
    expect(files).toBe(0)
    expect(await contentAt(centre, up.file_path)).toBeNull()
    await importBundle(box.services, receipt as Buffer)
    expect(await contentAt(box, pdf.file_path)).toBe(await contentAt(centre, pdf.file_path))
    await importBundle(centre.services, await bundleOf())
    expect(await contentAt(centre, up.file_path)).not.toBeNull()
  })
})

describe('verify', () => {
  const whose = { kind: 'school' as const, school_id: stBrigids, user_id: null }
  const differences = async () => differencesOf(await digestsOf(box.services.store, whose), await digestsOf(centre.services.store, whose))

  test('finds nothing where both hold the same', async () => {
    expect(await differences()).toEqual([])
  })

  test('names the table where a row is missing or another', async () => {
    await enter(box, 81)
    expect(await differences()).toMatchObject([{ table: 'grade' }])
    link.line.cut = false
    await link.round()
    expect(await differences()).toEqual([])
  })

  test('a value that was changed outside the program is found', async () => {
    await box.services.store.write(asSystem(), async (tx) => {
      await tx.connection.run('update grade set score = 3 where id = ?', [gradeId])
    })
    expect(await differences()).toMatchObject([{ table: 'grade' }])
  })

  test('what a database has lost comes back when everything is merged again', async () => {
    await box.services.store.write(asSystem(), async (tx) => {
      await tx.connection.run('delete from grade where id = ?', [gradeId])
      await tx.connection.run('delete from sync_row where row_id = ?', [gradeId])
    })
    expect(await differences()).toMatchObject([{ table: 'grade' }])
    const { services } = box
    const [parent] = await services.store.read(asSystem(), parentsOf)
    if (!parent) throw new Error('the school has no parent')
    const carry = async (request: Request) => unpacked(await centre.app.fetch(request))
    const child = new Child(services, parent.id, new ParentLine(parent, keysOfEnrolment(services, parent), carry))
    await child.greet()
    await child.mergeAll()
    expect(await differences()).toEqual([])
    expect(await scoreAt(box)).toBe(71)
  })
})
