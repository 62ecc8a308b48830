import { naturalId } from '@markbook/shared/ids'
import type { Row } from '@markbook/shared/tables/tables'
import { expect } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { admin, assessmentOf, at, idOf, rows, school, stage, subjectOf, teacher, test } from './found.stage.ts'
import type { WorldNode } from './node.ts'

/** What laptops may not do to rows that others made. */
const refusedAt = (node: WorldNode) => node.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_refused))

test('a row of others that a laptop wrote to comes to its school by it, with what it wrote and the mark that hangs on it', async () => {
  const { centre, box, laptop, round, meet, expectSame } = await stage()
  const [assessment, [pupil]] = [await assessmentOf(centre), (await rows(centre, 'student')) as [Row<'student'>]]
  const id = naturalId('grade', idOf(1), pupil.id)
  await at(centre, admin, async (tx) => {
    await tx.insert('assessment', [{ ...assessment, id: idOf(1), title: 'New' }])
    const rest = { school_id: school.id, term_id: assessment.term_id, remarks: null, is_excluded: false, exclusion_reason: null }
    await tx.insert('grade', [{ id, assessment_id: idOf(1), student_id: pupil.id, score: 5, ...rest }])
  })
  await round(laptop, centre)
  await at(laptop, teacher, async (tx) =>
    tx.update('assessment', [{ before: (await tx.find('assessment', school.id, idOf(1))) as never, patch: { title: 'Hers' } }]),
  )
  await round(laptop, box)
  await meet()
  for (const node of [centre, box, laptop]) {
    expect((await rows(node, 'assessment')).find((row) => row.id === idOf(1))?.title).toBe('Hers')
    expect((await rows(node, 'grade')).find((row) => row.id === id)?.score).toBe(5)
  }
  expect(await refusedAt(laptop)).toEqual([])
  const conflicts = (await rows(box, 'sync_conflict')).filter(({ row_id }) => row_id === idOf(1))
  expect(conflicts).toEqual([])
  await expectSame()
})

test.each(['before', 'after'] as const)(
  'what a laptop has of a centre that lost it with its disk, having met its school %s that, comes back to all',
  async (when) => {
    const { centre, box, laptop, round, meet, expectSame } = await stage()
    const folder = `${centre.folder}-backup`
    await centre.copyTo(folder)
    await at(centre, admin, (tx) => tx.insert('subject', [subjectOf(idOf(5), 'MUS')]))
    await round(laptop, centre)
    if (when === 'before') await round(laptop, box)
    await centre.putBack(folder)
    await centre.store.renewNode()
    await round(laptop, centre)
    await meet()
    await round(laptop, centre)
    await meet()
    // The centre had signed it.
    for (const node of [centre, box, laptop]) expect((await rows(node, 'subject')).map(({ id }) => id)).toContain(idOf(5))
    await expectSame()
    expect(await refusedAt(laptop)).toEqual([])
  },
)
