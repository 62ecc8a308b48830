import { randomUUID } from 'node:crypto'
import { openDatabase, serveOnly } from './bare.ts'
import { naiveTerm } from './naive-term.ts'

const [folder = '', , school = ''] = process.argv.slice(2)
const database = openDatabase(folder)
const resultOf = naiveTerm(database)
const yearOf = database.prepare<[string, string], string>('select academic_year_id from term where school_id = ? and id = ?').pluck()
const upsertBook = database.prepare<unknown[], { id: string }>(`
  insert into report_book (id, school_id, student_id, academic_year_id, term_id, student_group_id, report_type, status, snapshot,
    overall_average, position, total_students, created_at, updated_at)
  values (?, ?, ?, ?, ?, ?, 'term', 'draft', '{}', ?, ?, ?, ?, ?)
  on conflict (school_id, student_id, term_id, report_type) do update set overall_average = excluded.overall_average,
    position = excluded.position, total_students = excluded.total_students, updated_at = excluded.updated_at
  returning id, student_id, academic_year_id, term_id, student_group_id, report_type, status, overall_average, position,
    total_students, class_teacher_remark, conduct, attendance_percentage, created_at, updated_at`)
const upsertEntry = database.prepare(`
  insert into report_book_entry (id, school_id, report_book_id, subject_id, coursework_average, exam_average, term_composite,
    computed_letter, sort_order, created_at, updated_at)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict (school_id, report_book_id, subject_id) do update set coursework_average = excluded.coursework_average,
    exam_average = excluded.exam_average, term_composite = excluded.term_composite, computed_letter = excluded.computed_letter,
    sort_order = excluded.sort_order, updated_at = excluded.updated_at`)

const generate = database.transaction(({ studentGroupId, termId }: { studentGroupId: string; termId: string }) => {
  const now = new Date().toISOString()
  const year = yearOf.get(school, termId)
  const { students } = resultOf(school, studentGroupId, termId)
  const reports = students.map(({ student_id, overall_average, position, total_students, subjects }) => {
    const key = [school, student_id, year, termId, studentGroupId]
    const book = upsertBook.get(randomUUID(), ...key, overall_average, position, total_students, now, now) as { id: string }
    for (const [at, subject] of subjects.entries()) {
      const { subject_id, coursework_average, exam_average, term_composite, letter_grade } = subject
      const figures = [coursework_average, exam_average, term_composite, letter_grade]
      upsertEntry.run(randomUUID(), school, book.id, subject_id, ...figures, at, now, now)
    }
    return book
  })
  return { generated: reports.length, skipped_locked: 0, reports }
})

/**
 * `POST /api/reports/generate`: the naive results, and upserts of forty report books and their entries. Without session, versions and
 * history.
 */
serveOnly((_request, body) => JSON.stringify(generate.immediate(JSON.parse(body))))
