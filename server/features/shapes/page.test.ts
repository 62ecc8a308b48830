import { englishEssay, enrolments, grades, mathsExam, oisin, pupilsOf3B, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { draftReport } from '@markbook/shared/story/reports'
import { class3A, class3B } from '@markbook/shared/story/school-year'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asUser } from '../../store/tx.ts'
import { signedIn, under } from '../../testing/nodes.ts'
import { type School, school } from '../../testing/school.ts'
import type { ChangeMessage } from './messages.ts'
import { behind, type Position, START } from './offsets.ts'
import type { Reader } from './operations.ts'
import { readPage } from './page.ts'
import { type ShapeTable, shapeTables } from './shape-tables.ts'
import { readWhere } from './where.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

const readerOf = ({ services }: School, name: string, began: number): Reader => {
  const table = shapeTables.get(name) as ShapeTable
  return {
    table,
    columns: Object.keys(table.columns),
    where: null,
    school: class3B.school_id,
    nodeId: services.store.nodeId,
    scope: { text: 'all', classes: null, hidden: new Set() },
    began,
  }
}
const headOf = (at: School) =>
  at.services.store.read(asUser(people.okafor.id), (tx) => tx.dialect.feedOf(tx.connection, class3B.school_id)).then(({ seq }) => seq)

const pageOf = async (at: School, reader: Reader, from: Position, limit: number) => {
  const head = await headOf(at)
  return at.services.store.read(asUser(people.okafor.id), (tx) => readPage(tx, reader, from, head, limit))
}

/** Pages until the end, with what happens between them. */
async function walk(at: School, reader: Reader, from: Position, limit: number, between = async (_page: number) => {}) {
  const told: ChangeMessage[] = []
  let position = from
  for (let page = 0; page < 200; page += 1) {
    const { messages, to, isLast } = await pageOf(at, reader, position, limit)
    told.push(...messages)
    position = to
    if (isLast) return { told, position, pages: page + 1 }
    await between(page)
  }
  throw new Error('no end')
}
const idOf = ({ value }: ChangeMessage) => value['id']
const ours = grades.filter(({ school_id }) => school_id === class3B.school_id)

describe('a first copy in small pages', () => {
  test('has each row once, even of one transaction', async () => {
    const reader = readerOf(st, 'grade', await headOf(st))
    const { told, pages } = await walk(st, reader, START, 3)
    expect(pages).toBeGreaterThan(5)
    expect(told.map(idOf).sort()).toEqual(ours.map(({ id }) => id).sort())
    expect(new Set(told.map(({ headers }) => headers.operation))).toEqual(new Set(['insert']))
  })

  test('ends with the rows of its end, whatever is written meanwhile', async () => {
    const reader = readerOf(st, 'grade', await headOf(st))
    const { told, position } = await walk(st, reader, START, 3, async (page) => {
      if (page > 5) return
      const pupil = pupilsOf3B[(page % 5) + 1] as { id: string }
      await st.as.ada.grades.bulk({ body: { assessmentId: mathsExam.id, grades: [{ studentId: pupil.id, score: 40 + page }] } })
    })
    const copy = new Map(told.map(({ value }) => [value['id'], value]))
    expect(copy.size).toBe(ours.length)
    const listed = await st.as.ada.grades.list({ query: { assessmentId: mathsExam.id } })
    for (const { id, score } of listed) expect(copy.get(id)?.['score']).toBe(String(score))
    expect(position).toEqual(behind(await headOf(st)))
  })
})

describe('messages about rows that a reader may not see', () => {
  const toldSince = async (name: string, change: Partial<Reader>, happen: () => Promise<unknown>) => {
    const began = await headOf(st)
    const reader = { ...readerOf(st, name, began), ...change }
    await happen()
    const { messages } = await pageOf(st, reader, behind(began), 1_000)
    return messages.map(({ headers, value }) => `${headers.operation} ${value['id']}`)
  }
  const onlyOf = (group: { id: string }) => ({ scope: { text: group.id, classes: new Set([group.id]), hidden: new Set<string>() } })

  test('none for a report of another class, until it moves to theirs', async () => {
    const remark = () => st.as.byrne.reports.update({ params: { id: draftReport.id }, body: { conduct: `Good ${Math.random()}` } })
    expect(await toldSince('report_book', onlyOf(class3A), remark)).toEqual([])
    expect(await toldSince('report_book_entry', onlyOf(class3A), remark)).toEqual([])
    expect(await toldSince('report_book', onlyOf(class3B), remark)).toEqual([`update ${draftReport.id}`])
  })

  test('a delete for a pupil who changed class between two pages, although the enrolment was created again', async () => {
    const [enrolment] = enrolments.filter(({ student_id }) => student_id === oisin.id)
    const move = async () => {
      await st.as.okafor.classes.unenroll({ params: { id: class3A.id, studentId: oisin.id } })
      await st.as.okafor.classes.enroll({ params: { id: class3B.id }, body: { studentId: oisin.id } })
    }
    expect(await toldSince('enrolment', onlyOf(class3A), move)).toEqual([`delete ${enrolment?.id}`])
    const back = async () => {
      await st.as.okafor.classes.unenroll({ params: { id: class3B.id, studentId: oisin.id } })
      await st.as.okafor.classes.enroll({ params: { id: class3A.id }, body: { studentId: oisin.id } })
    }
    expect(await toldSince('enrolment', onlyOf(class3A), back)).toEqual([`update ${enrolment?.id}`])
  })

  test('none for rows that can never have matched the condition', async () => {
    const { columns } = shapeTables.get('grade') as ShapeTable
    const ofExam = { where: readWhere(`assessment_id = '${mathsExam.id}'`, {}, columns) }
    const other = () =>
      st.as.byrne.grades.bulk({
        body: { assessmentId: englishEssay.id, grades: [{ studentId: zoe.id, score: Math.round(Math.random() * 40) + 1 }] },
      })
    expect(await toldSince('grade', ofExam, other)).toEqual([])
  })

  test('none for a new row that does not match the condition', async () => {
    const { columns } = shapeTables.get('student') as ShapeTable
    const girls = { where: readWhere(`gender = 'female'`, {}, columns) }
    const boy = () => st.as.okafor.students.create({ body: { firstName: 'Tom', lastName: 'Daly', gender: 'male' } })
    expect(await toldSince('student', girls, boy)).toEqual([])
  })
})

test('a row that another node created long ago and sends now is a whole update', async () => {
  const centre = await school({ seed: 'centre' })
  const box = await school({ seed: 'box', story: false, database: 'sqlite' })
  try {
    const { round } = await under(centre, box)
    await round()
    const began = await headOf(centre)
    const okafor = await signedIn(box, 'okafor')
    const made = await okafor.students.create({ body: { firstName: 'Una', lastName: 'Daly', gender: 'female' } })
    await round()
    const { messages } = await pageOf(centre, readerOf(centre, 'student', began), behind(began), 10)
    expect(messages.map(({ headers, value }) => [headers.operation, value['id'], value['last_name']])).toEqual([
      ['update', made.id, 'Daly'],
    ])
  } finally {
    await box.close()
    await centre.close()
  }
})
