import { naturalId } from '@markbook/shared/ids'
import type { Row } from '@markbook/shared/tables/tables'
import { expect } from 'vitest'
import { asSystem, type WriteTx } from '../../store/tx.ts'
import { admin, assessmentOf, at, idOf, rows, school, stage, teacher, test } from './found.stage.ts'
import type { WorldNode } from './node.ts'
import { makeRound } from './round.ts'
import { plainCarrier } from './stage.ts'

/** What worlds of more seeds found. */
const bookId = (pupil: string, year: string) => naturalId('report_book', pupil, naturalId('term', year, 'michaelmas'), 'term')
const bookOf = (tx: WriteTx, group: string, pupil: string, year: string) =>
  tx.insert('report_book', [
    {
      id: bookId(pupil, year),
      school_id: school.id,
      student_id: pupil,
      academic_year_id: year,
      term_id: naturalId('term', year, 'michaelmas'),
      student_group_id: group,
      report_type: 'term',
      status: 'draft',
      sent_snapshot: null,
      overall_average: null,
      position: null,
      total_students: 1,
      snapshot: { generated_at: tx.now, overall_average: null, position: null, total_students: 1, entries: [] },
      class_teacher_remark: null,
      conduct: null,
      attendance_percentage: null,
    },
  ])

test('the books of a class that is gone leave an administrator’s laptop with it', async () => {
  const { box, laptop, meet, expectSame } = await stage('laptop2')
  const [year = '', pupil] = [school.years[0], (await rows(box, 'student'))[0] as Row<'student'>]
  const group = { id: idOf(1), school_id: school.id, academic_year_id: year, name: '9Z', created_by: admin }
  const [made] = await at(box, admin, (tx) => tx.insert('student_group', [group]))
  const [book] = await at(box, admin, (tx) => bookOf(tx, group.id, pupil.id, year))
  await meet()
  expect((await rows(laptop, 'report_book')).map(({ id }) => id)).toEqual([bookId(pupil.id, year)])
  await at(box, admin, async (tx) => {
    await tx.remove('report_book', [book as Row<'report_book'>])
    await tx.remove('student_group', [made as Row<'student_group'>])
  })
  await meet()
  expect(await rows(laptop, 'report_book')).toEqual([])
  expect((await rows(laptop, 'student_group')).map(({ id }) => id)).not.toContain(group.id)
  await expectSame()
})

test('a mark that two parents refuse, the second after it was changed, is kept as each of them saw it', async () => {
  const { centre, box, laptop, round, meet, expectSame } = await stage()
  const assessment = { ...(await assessmentOf(box)), id: idOf(1), title: 'New' }
  await at(box, admin, (tx) => tx.insert('assessment', [assessment]))
  await meet()
  const [pupil] = (await rows(box, 'student')) as [Row<'student'>]
  const id = naturalId('grade', assessment.id, pupil.id)
  await at(centre, admin, async (tx) => {
    const before = (await tx.find('school_management', school.id, naturalId('membership', teacher, school.id))) as never
    await tx.update('school_management', [{ before, patch: { role: 'member' } }])
  })
  await round(box, centre)
  await at(laptop, teacher, (tx) =>
    tx.insert('grade', [
      {
        id,
        school_id: school.id,
        assessment_id: assessment.id,
        student_id: pupil.id,
        score: 3,
        remarks: 'Hers',
        is_excluded: false,
        exclusion_reason: null,
        term_id: assessment.term_id,
      },
    ]),
  )
  const carry = plainCarrier(laptop, box)
  const ending = await makeRound(laptop, box, async (request) => {
    const response = await carry(request)
    if (new URL(request.url).pathname === '/sync/push') throw new Error('the line broke')
    return response
  })
  expect(ending).toBe('broken')
  await at(laptop, teacher, async (tx) =>
    tx.update('grade', [{ before: (await tx.find('grade', school.id, id)) as never, patch: { score: 4 } }]),
  )
  await round(laptop, centre)
  await meet()
  const whole = (await rows(centre, 'sync_conflict')).filter(({ row_id, unit }) => row_id === id && unit === 'row')
  expect(whole.map(({ value }) => (value as { score: number }).score).sort()).toEqual([3, 4])
  await expectSame()
})

const insertAssessment = async (node: WorldNode) => {
  const assessment = { ...(await assessmentOf(node)), id: idOf(1), title: 'New' }
  await at(node, admin, (tx) => tx.insert('assessment', [assessment]))
}
const entitle = (node: WorldNode, title: string) =>
  at(node, teacher, async (tx) =>
    tx.update('assessment', [{ before: (await tx.find('assessment', school.id, idOf(1))) as never, patch: { title } }]),
  )
const titleAt = async (node: WorldNode) => (await rows(node, 'assessment')).find(({ id }) => id === idOf(1))?.title

test('what a laptop wrote to a row that is still to come to the centre comes there by the school', async () => {
  const { centre, box, laptop, round, meet, expectSame } = await stage()
  await insertAssessment(box)
  await round(laptop, box)
  await entitle(laptop, 'Hers')
  await round(laptop, centre)
  expect(await titleAt(laptop)).toBe('Hers')
  await meet()
  expect(await titleAt(centre)).toBe('Hers')
  await expectSame()
})

test('a row of the centre that the school has not heard of comes to it by a laptop that wrote to it, with what that wrote', async () => {
  const { centre, box, laptop, round, meet, expectSame } = await stage()
  await insertAssessment(centre)
  await round(laptop, centre)
  await entitle(laptop, 'Hers')
  await round(laptop, box)
  await meet()
  expect(await titleAt(centre)).toBe('Hers')
  expect(await laptop.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_refused))).toEqual([])
  await expectSame()
})

const none = { coursework_average: null, exam_average: null, term_composite: null, year_grade: null }
type Entry = { book: string; subject: string }
const entryOf = ({ book, subject }: Entry) => naturalId('report_book_entry', book, subject)
const entryAt = async (node: WorldNode, id: string) => (await rows(node, 'report_book_entry')).find((entry) => entry.id === id)

/** A book with one entry that has no mark. */
async function bookWithEntry(node: WorldNode): Promise<Entry> {
  const [group, pupil, subject] = [
    (await rows(node, 'student_group'))[0],
    (await rows(node, 'student'))[0],
    (await rows(node, 'subject'))[0],
  ]
  const year = group?.academic_year_id as string
  const entry = { book: bookId(pupil?.id as string, year), subject: subject?.id as string }
  await at(node, admin, async (tx) => {
    await bookOf(tx, group?.id as string, pupil?.id as string, year)
    const place = { id: entryOf(entry), school_id: school.id, report_book_id: entry.book, subject_id: entry.subject, sort_order: 0 }
    await tx.insert('report_book_entry', [{ ...place, ...none, computed_letter: null, manual_letter: null, teacher_remark: null }])
  })
  return entry
}

/** As generating does it: the entry is written too, but only the snapshot travels. */
async function figure(tx: WriteTx, entry: Entry, exam_average: number): Promise<void> {
  const book = (await tx.find('report_book', school.id, entry.book)) as Row<'report_book'>
  const entries = [{ ...none, subject_id: entry.subject, exam_average, letter_grade: null, sort_order: 0 }]
  await tx.update('report_book', [{ before: book, patch: { snapshot: { ...book.snapshot, entries } } }])
  const before = (await tx.find('report_book_entry', school.id, entryOf(entry))) as Row<'report_book_entry'>
  await tx.update('report_book_entry', [{ before, patch: { exam_average } }])
}

test('the entries of a book that was deleted, and stays for a remark, show the figures that it had at last', async () => {
  const { centre, box, meet, expectSame } = await stage()
  const entry = await bookWithEntry(box)
  await meet()
  const entryIn = async (tx: WriteTx) => (await tx.find('report_book_entry', school.id, entryOf(entry))) as Row<'report_book_entry'>
  await at(centre, admin, async (tx) => tx.update('report_book_entry', [{ before: await entryIn(tx), patch: { teacher_remark: 'R' } }]))
  await at(box, admin, (tx) => figure(tx, entry, 12))
  await at(box, admin, async (tx) => {
    await tx.remove('report_book_entry', [await entryIn(tx)])
    await tx.remove('report_book', [(await tx.find('report_book', school.id, entry.book)) as Row<'report_book'>])
  })
  await meet()
  expect(await entryAt(centre, entryOf(entry))).toMatchObject({ exam_average: 12, teacher_remark: 'R' })
  await expectSame()
})

test('where a snapshot is refused, the entries show again what the parent has', async () => {
  const { laptop, meet, expectSame } = await stage('laptop2')
  const entry = await bookWithEntry(laptop)
  await meet()
  await at(laptop, teacher, (tx) => figure(tx, entry, 12))
  expect(await entryAt(laptop, entryOf(entry))).toMatchObject({ exam_average: 12 })
  await meet()
  expect(await entryAt(laptop, entryOf(entry))).toMatchObject({ exam_average: null })
  await expectSame()
})

test('a laptop’s deletion of a mark that it had from the centre stands at its school, which had not seen the mark', async () => {
  const { centre, box, laptop, round, meet, expectSame } = await stage()
  const [mark] = (await rows(box, 'grade')) as [Row<'grade'>]
  const markIn = async (tx: WriteTx) => (await tx.find('grade', school.id, mark.id)) as Row<'grade'>
  await at(laptop, teacher, async (tx) => tx.remove('grade', [await markIn(tx)]))
  await meet()
  await at(centre, admin, (tx) => tx.insert('grade', [{ ...mark, score: 33 }]))
  await round(laptop, centre)
  await at(laptop, teacher, async (tx) => tx.remove('grade', [await markIn(tx)]))
  await round(laptop, box)
  await meet()
  await expectSame()
  for (const node of [centre, box, laptop]) {
    expect((await rows(node, 'grade')).map(({ id }) => id)).not.toContain(mark.id)
    expect((await rows(node, 'sync_conflict')).filter(({ row_id, kind }) => row_id === mark.id && kind === 'delete')).toEqual([])
  }
})
