import { elan, mathsExam, zoe } from '@markbook/shared/story/marks'
import { afterEach, describe, expect, test } from 'vitest'
import { csv } from '../../features/imports/sheets.fixtures.ts'
import { schoolAndLaptop } from '../../testing/joined.ts'
import { signedIn } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { settle } from './scenarios.fixtures.ts'

/** An import is listed, and undone, wherever its rows are: it stands in the history as a note beside them. */
const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const marksOf = async (node: School) =>
  (await node.rows('grade'))
    .filter(({ assessment_id }) => assessment_id === mathsExam.id)
    .map(({ student_id, score }) => [student_id, score])

describe('an import', () => {
  test('of marks on a laptop is listed at the school and at the centre, and undone there', async () => {
    const { centre, box, link, laptop, laptopLink } = await schoolAndLaptop(open)
    const before = (await marksOf(box)).sort()
    const body = csv('student_number,score,remarks', ...[zoe, elan].map(({ student_number }) => `${student_number},51,`))
    const { id } = await (await signedIn(laptop, 'ada')).imports.grades({ query: { assessmentId: mathsExam.id }, body })
    await settle(laptopLink, link, laptopLink)
    expect((await marksOf(centre)).sort()).not.toEqual(before)
    for (const node of [box, centre]) {
      const head = await signedIn(node, 'okafor')
      expect(await head.imports.list()).toMatchObject([{ id, kind: 'grades', actor: { first_name: 'Ada' } }])
    }
    centre.clock.advance(1_000)
    await (await signedIn(centre, 'okafor')).imports.undo({ params: { id: id as string } })
    await settle(link, laptopLink)
    for (const node of [centre, box, laptop]) expect((await marksOf(node)).sort()).toEqual(before)
    expect(await (await signedIn(box, 'okafor')).imports.list()).toMatchObject([{ id, undone_at: expect.any(String) }])
  })
})
