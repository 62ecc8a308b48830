import { naturalId } from '@markbook/shared/ids'
import { mathsExam, mathsHomework, zoe } from '@markbook/shared/story/marks'
import { draftReport } from '@markbook/shared/story/reports'
import { type Cells, valuesOf } from '@markbook/sync/protocol/cells'
import type { Push } from '@markbook/sync/protocol/messages'
import { afterEach, describe, expect, test } from 'vitest'
import { parentsOf } from '../replication/identity/enrolment.ts'
import { Child } from '../replication/upstream/child.ts'
import { asSystem } from '../store/tx.ts'
import { centreAndSchool } from '../testing/joined.ts'
import { lineOf, signedIn } from '../testing/nodes.ts'
import type { School } from '../testing/school.ts'
import { same, settle } from './scenarios/scenarios.fixtures.ts'

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

const heldAt = (node: School) => node.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_held))

/** The same push, in which a row says nothing of a column, or has another value there. */
function without(push: Push, table: string, id: string, column: string, value: unknown = null): Push {
  const tables = push.tables.map((each) => {
    if (each.table !== table) return each
    const at = each.columns.indexOf(column)
    const { ids, cells } = each
    const read = valuesOf(cells[at] as Cells)
    const changed = { each: ids.map((own, row) => (own === id ? value : read(row))) }
    return { ...each, cells: cells.with(at, changed) }
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
  return { centre, box, link, whole, broken, ...(await pushOf(box, centre)) }
}

async function pushOf(box: School, centre: School) {
  const { services } = box
  const line = await lineOf(box, centre)
  const [parent] = await services.store.read(asSystem(), parentsOf)
  if (!parent) throw new Error('the school has no parent')
  const { push } = await new Child(services, parent.id, line).pageAfter(parent)
  return { line, push }
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

  test.each([
    ['remarks', 5],
    ['remarks', { text: 'Well done' }],
    ['score', 'eleven'],
    ['score', true],
    ['is_excluded', 'no'],
    ['created_at', 'yesterday'],
    ['created_at', '2026-02-31T08:00:00.000Z'],
    ['created_by', 'somebody'],
  ] as const)('%s: %j is not what stands in such a column: it is refused, and stored nowhere', async (column, value) => {
    const { centre, box, link, line, push, whole, broken } = await twoNewMarks()
    const { answers } = await line.push(without(push, 'grade', gradeOf(broken), column, value))
    expect(answers).toMatchObject([{ id: gradeOf(broken), outcome: 'refused', code: 'malformed', theirs: null }])
    expect(await scoreAt(centre, whole)).toBe(17)
    expect(await scoreAt(centre, broken)).toBeUndefined()
    expect(await heldAt(centre)).toEqual([])
    // What came whole the next time is taken.
    await (await signedIn(box, 'ada')).grades.bulk(mark(broken, 6))
    await settle(link)
    expect(await scoreAt(centre, broken)).toBe(6)
  })

  test.each([
    ['snapshot', null],
    ['snapshot', 'none'],
    ['snapshot', { entries: [null] }],
    ['snapshot', { ...draftReport.snapshot, weights: { coursework_weight: 40 } }],
    ['snapshot', { ...draftReport.snapshot, weights: { coursework_weight: 40, exam_weight: 6e9 } }],
    ['snapshot', { ...draftReport.snapshot, weights: { coursework_weight: 40, exam_weight: 60, calculation_model: 'mine' } }],
    ['sent_snapshot', { frozen: { entries: 1 } }],
    ['sent_snapshot', { weights: 40 }],
    ['sent_snapshot', { scale: { pass_mark: 50 } }],
  ] as const)('a report book whose %s is %j cannot be read: it is refused, and the server goes on', async (column, value) => {
    const { centre, box } = await centreAndSchool(open)
    await box.services.store.write(asSystem(), async (tx) => {
      const [before] = (await tx.db.select().from(tx.t.report_book)).filter(({ id }) => id === draftReport.id)
      if (before) await tx.update('report_book', [{ before, patch: { snapshot: { ...before.snapshot, total_students: 7 } } }])
    })
    const { line, push } = await pushOf(box, centre)
    const { answers } = await line.push(without(push, 'report_book', draftReport.id, column, value))
    expect(answers).toMatchObject([{ id: draftReport.id, outcome: 'refused', code: 'malformed' }])
    const book = (await centre.rows('report_book')).find(({ id }) => id === draftReport.id)
    expect(book).toMatchObject({ snapshot: draftReport.snapshot, sent_snapshot: null })
  })

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
