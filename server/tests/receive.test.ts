import { naturalId } from '@markbook/shared/ids'
import { mathsExam, mathsHomework, zoe } from '@markbook/shared/story/marks'
import type { Push } from '@markbook/sync/protocol/messages'
import { afterEach, describe, expect, test } from 'vitest'
import { Child } from '../peers/child.ts'
import { parentsOf } from '../peers/enrolment.ts'
import { asSystem } from '../store/tx.ts'
import { lineOf, signedIn } from '../testing/nodes.ts'
import type { School } from '../testing/school.ts'
import { centreAndSchool, same, settle } from './scenes/scenes.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const gradeOf = ({ id }: { id: string }) => naturalId('grade', id, zoe.id)
const mark = (assessment: { id: string }, score: number) => ({
  body: { assessmentId: assessment.id, grades: [{ studentId: zoe.id, score }] },
})
const scoreAt = async (node: School, assessment: { id: string }) =>
  (await node.rows('grade')).find(({ id }) => id === gradeOf(assessment))?.score

/** What stands before a row's values. */
const HEAD = 6

/** The same push, in which a row says nothing of a column, or has another value there. */
function without(push: Push, table: string, id: string, column: string, value: unknown = null): Push {
  const tables = push.tables.map((each) => {
    if (each.table !== table || !('rows' in each)) return each
    const at = HEAD + each.columns.indexOf(column)
    return {
      ...each,
      rows: each.rows.map((row) => (row[0] === id ? row.map((cell, place) => (place === at ? value : cell)) : row)) as never,
    }
  })
  return { ...push, tables }
}

/** Both of a school's marks are new at the centre; what is sent of the homework's is changed on the way. */
async function twoNewMarks() {
  const { centre, box, link } = await centreAndSchool(open)
  const ada = await signedIn(box, 'ada')
  const assessments = await Promise.all(
    [mathsExam, mathsHomework].map(({ term_id, subject_id, student_group_id }, at) =>
      ada.assessments.create({
        body: {
          termId: term_id,
          subjectId: subject_id,
          ...(student_group_id && { studentGroupId: student_group_id }),
          title: `New ${at}`,
          assessmentType: 'coursework',
        },
      }),
    ),
  )
  await settle(link)
  const [whole, broken] = assessments
  if (!whole || !broken) throw new Error('two assessments were to be made')
  await ada.grades.bulk(mark(whole, 17))
  await ada.grades.bulk(mark(broken, 5))
  const { services } = box
  const line = await lineOf(box, centre)
  const [parent] = await services.store.read(asSystem(), parentsOf)
  if (!parent) throw new Error('the school has no parent')
  const { push } = await new Child(services, parent.id, line).pageAfter(parent)
  return { centre, box, link, line, push, whole, broken }
}

describe('a row that its table does not take', () => {
  test.each([
    ['created_at', null],
    ['student_id', null],
    ['score', null],
    ['score', 'eleven'],
    ['score', -1],
  ] as const)(
    '%s: %j is no failure of the server: the row waits or is refused, with the reason, and the rest is taken',
    async (column, value) => {
      const { centre, line, push, whole, broken } = await twoNewMarks()
      const { answers, acknowledged } = await line.push(without(push, 'grade', gradeOf(broken), column, value))
      expect(acknowledged).toBe(push.to)
      expect(await scoreAt(centre, whole)).toBe(17)
      expect(answers.map(({ id }) => id)).toEqual([gradeOf(broken)])
      expect(['held', 'refused']).toContain(answers[0]?.outcome)
      expect(answers[0]?.code).toMatch(/\S/)
      expect(await scoreAt(centre, broken)).toBeUndefined()
    },
  )

  test('it may wait as long as it will: what comes after it is taken, and itself when it comes whole', async () => {
    const { centre, box, link, line, push, broken } = await twoNewMarks()
    await line.push(without(push, 'grade', gradeOf(broken), 'created_at'))
    await (await signedIn(box, 'ada')).grades.bulk(mark(broken, 6))
    await settle(link)
    expect(await scoreAt(centre, broken)).toBe(6)
    const [a, b] = await same(centre, box)
    expect(b).toEqual(a)
  })
})
