import { limits } from '@markbook/shared/limits'
import { aoife, mathsExam, mathsQuiz, sean, zoe } from '@markbook/shared/story/marks'
import { stBrigids } from '@markbook/shared/story/people'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { forgetWithAll } from '../../store/replica/forget.ts'
import { asSystem } from '../../store/tx.ts'
import { centreAndSchool } from '../../testing/joined.ts'
import { withLowerLimit } from '../../testing/lower-limit.ts'
import { signedIn, type UnderParent } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'

const open: School[] = []
let centre: School
let box: School
let link: UnderParent
beforeEach(async () => {
  ;({ centre, box, link } = await centreAndSchool(open))
})
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

/** A node loses a test with its marks, outside the program: what is written to it elsewhere waits there. */
const forgetsTest = ({ services }: School) =>
  services.store.write(asSystem(), (tx) => forgetWithAll(tx, 'assessment', stBrigids, mathsQuiz.id, () => true))
const heldAt = async ({ services }: School) => services.store.read(asSystem(), (tx) => tx.db.$count(tx.t.sync_held))
const marks = (assessmentId: string, ...pupils: { id: string }[]) => ({
  body: { assessmentId, grades: pupils.map(({ id }) => ({ studentId: id, score: 7 })) },
})
const scoreAt = async (node: School, assessment: string) =>
  (await node.rows('grade')).find(({ assessment_id, student_id }) => assessment_id === assessment && student_id === zoe.id)?.score

describe('B4: so many rows wait of a school, and a page that brings more waits where it is', () => {
  test('on its way up', async () => {
    await forgetsTest(centre)
    const ada = await signedIn(box, 'ada')
    await ada.grades.bulk(marks(mathsQuiz.id, zoe, sean, aoife))
    await withLowerLimit(limits.sync, 'heldRows', 2, () =>
      expect(link.round()).rejects.toMatchObject({ code: 'line', message: expect.stringMatching(/^Too many rows wait/) }),
    )
    expect([await heldAt(centre), (await ada.replication.status()).waiting_marks]).toEqual([0, 3])
    await withLowerLimit(limits.sync, 'heldRows', 3, () => link.round())
    expect([await heldAt(centre), (await ada.replication.status()).waiting_marks]).toEqual([3, 0])
    // What brings none is taken, however many wait.
    await ada.grades.bulk(marks(mathsExam.id, zoe))
    await withLowerLimit(limits.sync, 'heldRows', 2, () => link.round())
    expect([await heldAt(centre), await scoreAt(centre, mathsExam.id)]).toEqual([3, 7])
  })

  test('on its way down', async () => {
    await forgetsTest(box)
    await centre.as.okafor.grades.bulk(marks(mathsQuiz.id, zoe, sean, aoife))
    await withLowerLimit(limits.sync, 'heldRows', 2, () => expect(link.round()).rejects.toThrow(/^3 rows would wait here/))
    expect(await heldAt(box)).toBe(0)
    await withLowerLimit(limits.sync, 'heldRows', 3, () => link.round())
    expect(await heldAt(box)).toBe(3)
    await centre.as.okafor.grades.bulk(marks(mathsExam.id, zoe))
    await withLowerLimit(limits.sync, 'heldRows', 2, () => link.round())
    expect([await heldAt(box), await scoreAt(box, mathsExam.id)]).toEqual([3, 7])
  })
})

test('B9: a reply is read up to its bound', async () => {
  await centre.as.okafor.grades.bulk(marks(mathsExam.id, zoe, sean, aoife))
  await withLowerLimit(limits.sync.message, 'replyBytes', 1_000, () =>
    expect(link.round()).rejects.toMatchObject({ code: 'line', message: expect.stringContaining('too long') }),
  )
  expect(await scoreAt(box, mathsExam.id)).not.toBe(7)
  await link.round()
  expect(await scoreAt(box, mathsExam.id)).toBe(7)
})
