import { randomUUID } from 'node:crypto'
import { openDatabase, serveOnly } from './bare.ts'

const [folder = '', , school = ''] = process.argv.slice(2)
const database = openDatabase(folder)
type BulkBody = { assessmentId: string; grades: { studentId: string; score: number }[] }
type Row = { is_excluded: number | boolean }
const termOf = database.prepare<[string, string], string>('select term_id from assessment where school_id = ? and id = ?').pluck()
const upsert = database.prepare<unknown[], Row>(`
  insert into grade (id, school_id, assessment_id, term_id, student_id, score, is_excluded, created_at, updated_at)
  values (?, ?, ?, ?, ?, ?, 0, ?, ?)
  on conflict (school_id, assessment_id, student_id) do update set score = excluded.score, status = null, updated_at = excluded.updated_at
  returning id, assessment_id, student_id, score, status, remarks, is_excluded, exclusion_reason, created_by, updated_by, updated_at`)
const record = database.transaction(({ assessmentId, grades }: BulkBody): Row[] => {
  const now = new Date().toISOString()
  const term = termOf.get(school, assessmentId)
  return grades.map(({ studentId, score }) => {
    const row = upsert.get(randomUUID(), school, assessmentId, term, studentId, score, now, now) as Row
    row.is_excluded = row.is_excluded === 1
    return row
  })
})

/** `POST /api/grades/bulk`: forty upserts in one transaction. Without session, rights, checks, versions, history and letters. */
serveOnly((_request, body) => JSON.stringify(record.immediate(JSON.parse(body))))
