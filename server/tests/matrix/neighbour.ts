import { naturalId } from '@markbook/shared/ids'
import { storyId, userIdOf } from '@markbook/shared/story/ids'
import { elan, grades, hilltopExam, hilltopPupil, mathsQuiz, mei, sean } from '@markbook/shared/story/marks'
import { hilltop, people, stBrigids } from '@markbook/shared/story/people'
import { draftReport, hilltopReport, reportEntries } from '@markbook/shared/story/reports'
import { class3B, hilltopClass, hilltopMaths, hilltopYear, irish, maths, thisYear } from '@markbook/shared/story/school-year'
import { story } from '@markbook/shared/story/story'
import type { Replicated } from '@markbook/shared/tables/tables'
import { asSystem } from '../../store/tx.ts'
import type { School } from '../../testing/school.ts'
import { conflictIds, furnishNodes, furnishOwnNodes, nodeIds, refusalIds } from './neighbour.sync.ts'
import { furnishPasskeys, passkeyIds } from './passkeys.ts'
import { furnishPictures, uploadPictures } from './pictures.ts'
import { furnishSessions, noticeIds, sessionIds } from './sessions.ts'

const idOf = (rows: readonly { id: string }[], what: string): string => {
  const [row] = rows
  if (!row) throw new Error(`the story has no ${what}`)
  return row.id
}

const waiting = {
  id: userIdOf('hilltop.waiting@mail.example'),
  email: 'hilltop.waiting@mail.example',
  first_name: 'Hilltop-Marker',
  last_name: 'Hilltop-Waiting',
  avatar_path: null,
  avatar_updated_at: null,
  school_id: null,
}
const hilltopRequest = {
  id: storyId('request', 2, 1),
  school_id: hilltop,
  user_id: waiting.id,
  status: 'pending',
  message: 'Hilltop-Marker message',
  requested_at: '2026-01-10T09:00:00.000Z',
  reviewed_at: null,
  reviewed_by: null,
}
const unused = (school: 1 | 2, name: string, code: string) => ({
  id: storyId('subject', school, 9),
  school_id: school === 1 ? stBrigids : hilltop,
  name,
  code,
  sort_order: 9,
  is_active: true,
})
export const art = unused(1, 'Art', 'AR')
export const hilltopArt = unused(2, 'Hilltop-Marker art', 'HAR')
const category = (school: 1 | 2, academic_year_id: string) => ({
  id: storyId('category', school, 1),
  school_id: school === 1 ? stBrigids : hilltop,
  academic_year_id,
  subject_id: null,
  assessment_type: 'coursework' as const,
  name: school === 1 ? 'Quizzes' : 'Hilltop-Marker quizzes',
  weight: 40,
  drop_lowest: 1,
  is_extra_credit: false,
  sort_order: 1,
})
export const quizzes = category(1, thisYear.id)
export const hilltopQuizzes = category(2, hilltopYear.id)
const teachingSet = (school: 1 | 2, academic_year_id: string, subject_id: string) => ({
  id: storyId('set', school, 1),
  school_id: school === 1 ? stBrigids : hilltop,
  academic_year_id,
  subject_id,
  name: school === 1 ? 'Upper set' : 'Hilltop-Marker upper set',
})
export const upper = teachingSet(1, thisYear.id, maths.id)
export const hilltopUpper = teachingSet(2, hilltopYear.id, hilltopMaths.id)
type InSet = { id: string; school_id: string }
const teacherOfSet = ({ id, school_id }: InSet, user_profile_id: string) => ({
  id: naturalId('teaching_set_teacher', id, user_profile_id),
  school_id,
  teaching_set_id: id,
  user_profile_id,
})
const memberOfSet = ({ id, school_id }: InSet, student_id: string) => ({
  id: naturalId('teaching_set_member', id, student_id),
  school_id,
  teaching_set_id: id,
  student_id,
})
const taken = (student: { id: string }, subject: { id: string; school_id: string }, group: { id: string }) => ({
  id: naturalId('student_subject', student.id, subject.id, group.id),
  school_id: subject.school_id,
  student_id: student.id,
  subject_id: subject.id,
  student_group_id: group.id,
})
export const publishedReport = {
  ...draftReport,
  id: naturalId('report_book', sean.id, draftReport.term_id, 'term'),
  student_id: sean.id,
  status: 'published' as const,
}
/** A PDF that begins and ends as one; what is inside is nobody's matter here. */
export const PDF_TEXT = '%PDF-1.7\n1 0 obj\nendobj\n%%EOF\n'
const stored = (book: typeof draftReport, name: string) => ({
  id: naturalId('report_book_entry', book.id, name),
  school_id: book.school_id,
  report_book_id: book.id,
  file_path: `${book.id}/${name}`,
  file_size: PDF_TEXT.length,
  sha256: null,
  generated_by: null,
  generated_at: '2026-01-09T15:00:00.000Z',
})
export const draftPdf = stored(draftReport, 'furnished.pdf')
export const hilltopPdf = stored(hilltopReport, 'furnished.pdf')
const summary = (book: typeof draftReport) => ({
  ...stored(book, 'summary.pdf'),
  student_group_id: book.student_group_id,
  term_id: book.term_id,
  report_type: 'term' as const,
  file_type: 'pdf' as const,
})
const classFiles = [draftReport, hilltopReport].map(summary).map(({ report_book_id: _book, ...file }) => file)

const job = (id: string, school_id: string, created_by: string) => ({
  id,
  school_id,
  kind: 'report_pdfs' as const,
  status: 'done' as const,
  wanted: null,
  input: { student_group_id: id, term_id: id, report_type: 'term' as const, paper: 'A4' as const, reports: [] },
  done: 0,
  total: 0,
  result_url: null,
  failures: [],
  created_by,
  created_at: '2026-01-09T15:00:00.000Z',
  ended_at: '2026-01-09T15:00:01.000Z',
  runner: null,
  leased_until: null,
  taken: 1,
})
export const jobIds = { own: storyId('request', 1, 90), hilltop: storyId('request', 2, 90) }
const jobs = [job(jobIds.own, stBrigids, people.byrne.id), job(jobIds.hilltop, hilltop, people.markerTeacher.id)]

const invitation = (id: string, school_id: string, invited_by: string) => ({
  id,
  school_id,
  email: 'invited@mail.example',
  role: 'teacher' as const,
  code_hash: null,
  invited_by,
  invited_at: '2026-01-10T09:00:00.000Z',
  expires_at: '2036-01-10T09:00:00.000Z',
})
export const invitationIds = { own: storyId('request', 1, 80), hilltop: storyId('request', 2, 80) }
const invitations = [
  invitation(invitationIds.own, stBrigids, people.okafor.id),
  invitation(invitationIds.hilltop, hilltop, people.marker.id),
]

const draftEntry = reportEntries.find(({ report_book_id }) => report_book_id === draftReport.id)
const NO_FIGURES = { coursework_average: null, exam_average: null, term_composite: null, year_grade: null, computed_letter: null }
/** Ada's own subject in the report of Élan, beside the class teacher's, whose subject alone the book has figures of. */
export const mathsEntry = {
  ...draftEntry,
  ...NO_FIGURES,
  id: naturalId('report_book_entry', draftReport.id, maths.id),
  subject_id: maths.id,
  sort_order: draftReport.snapshot.entries.length,
}

/** What the story lacks for every endpoint to have something to do, at both schools. */
const more = {
  user_profile: [waiting],
  school_join_request: [hilltopRequest],
  subject: [art, hilltopArt],
  assessment_category: [quizzes, hilltopQuizzes],
  teaching_set: [upper, hilltopUpper],
  teaching_set_teacher: [teacherOfSet(upper, people.ada.id), teacherOfSet(hilltopUpper, people.markerTeacher.id)],
  teaching_set_member: [memberOfSet(upper, elan.id), memberOfSet(hilltopUpper, hilltopPupil.id)],
  student_subject: [taken(mei, irish, class3B), taken(hilltopPupil, hilltopMaths, hilltopClass)],
  report_book: [publishedReport],
  report_book_entry: [mathsEntry],
  report_book_pdf: [draftPdf, hilltopPdf],
  class_report_file: classFiles,
}

export const requestIds = { own: storyId('request', 1, 1), hilltop: hilltopRequest.id }
const gradeOf = (assessment: { id: string }, student: { id: string }) =>
  idOf(
    grades.filter((grade) => grade.assessment_id === assessment.id && grade.student_id === student.id),
    'such grade',
  )
export const gradeIds = { of: gradeOf, own: gradeOf(mathsQuiz, elan), hilltop: gradeOf(hilltopExam, hilltopPupil) }
const entryOf = (book: { id: string }) =>
  idOf(
    reportEntries.filter(({ report_book_id }) => report_book_id === book.id),
    'such entry',
  )
export const entryIds = { of: entryOf, own: entryOf(draftReport), hilltop: entryOf(hilltopReport) }

/** Entries of the history of a grade at each school, which are made by changing one; `bin`: of an assessment that was deleted. */
export type HistoryIds = { own: string; hilltop: string; bin: { own: string; hilltop: string }; imports: { own: string; hilltop: string } }

export async function furnish(st: School): Promise<HistoryIds> {
  await st.services.store.write(asSystem(), async (tx) => {
    for (const [table, rows] of Object.entries(more)) await tx.insert(table as Replicated, rows as never)
  })
  await furnishLocal(st, [stBrigids, hilltop])
  await furnishPictures(st)
  await furnishSessions(st, [stBrigids, hilltop])
  await furnishPasskeys(st, [stBrigids, hilltop])
  await furnishNodes(st)
  const change = async (who: 'ada' | 'marker', id: string) => {
    await st.as[who].grades.update({ params: { id }, body: { score: 18 } })
    return idOf(await st.as[who].history.list({ query: { entity: 'grade', id } }), 'entry')
  }
  const deletion = async (who: 'ada' | 'marker', place: { termId: string; subjectId: string }) => {
    const { id } = await st.as[who].assessments.create({ body: { ...place, title: 'By mistake', assessmentType: 'coursework' } })
    await st.as[who].assessments.remove({ params: { id } })
    return idOf(await st.as[who].bin.list(), 'item in the bin')
  }
  const imported = async (who: 'ada' | 'marker', assessmentId: string, line: string) => {
    const body = new FormData()
    body.set('file', new File([`student_number,score\n${line}\n`], 'table.csv', { type: 'text/csv' }))
    const { id } = await st.as[who].imports.grades({ query: { assessmentId }, body })
    return idOf(id === null ? [] : [{ id }], 'import')
  }
  // Before the changes, which are to be undone in the matrix too.
  const imports = {
    own: await imported('ada', mathsQuiz.id, 'SB-003,14'),
    hilltop: await imported('marker', hilltopExam.id, 'HILLTOP-MARKER-001,17'),
  }
  return {
    own: await change('ada', gradeIds.own),
    hilltop: await change('marker', gradeIds.hilltop),
    bin: {
      own: await deletion('ada', { termId: mathsQuiz.term_id, subjectId: mathsQuiz.subject_id }),
      hilltop: await deletion('marker', { termId: hilltopExam.term_id, subjectId: hilltopExam.subject_id }),
    },
    imports,
  }
}

async function furnishLocal(st: School, schools: readonly string[]): Promise<void> {
  const isOfThem = ({ school_id }: { school_id: string }) => schools.includes(school_id)
  await st.services.store.write(asSystem(), async (tx) => {
    await tx.local.insert(tx.t.job).values(jobs.filter(isOfThem))
    await tx.local.insert(tx.t.school_invitation).values(invitations.filter(isOfThem))
  })
  for (const { file_path } of [draftPdf, hilltopPdf, ...classFiles].filter(isOfThem))
    await st.services.files.put('report-books', file_path, Buffer.from(PDF_TEXT), { contentType: 'application/pdf' })
}

/** For a school's own server that got its rows from a furnished centre: what does not travel, or that no hash lets travel. */
export async function furnishCopy(st: School, schoolId: string): Promise<void> {
  await furnishLocal(st, [schoolId])
  await uploadPictures(st)
  await furnishSessions(st, [schoolId])
  await furnishPasskeys(st, [schoolId])
  await furnishOwnNodes(st, [schoolId])
}

/** The id of the same kind of thing at Hilltop. */
export function counterpart(id: string, history: HistoryIds): string {
  if (id === history.own) return history.hilltop
  if (id === history.bin.own) return history.bin.hilltop
  if (id === history.imports.own) return history.imports.hilltop
  if (id === jobIds.own) return jobIds.hilltop
  if (id === invitationIds.own) return invitationIds.hilltop
  if (id === sessionIds.own) return sessionIds.hilltop
  if (id === noticeIds.own) return noticeIds.hilltop
  if (id === passkeyIds.own) return passkeyIds.hilltop
  if (id === nodeIds.own) return nodeIds.hilltop
  if (id === refusalIds.own) return refusalIds.hilltop
  if (Object.values(conflictIds).includes(id)) return conflictIds.hilltop
  if (Object.values(people).some((person) => person.id === id)) return people.markerTeacher.id
  for (const table of new Set([...Object.keys(story), ...Object.keys(more)])) {
    const rowsOf = (all: object) => (all as Record<string, readonly unknown[]>)[table] ?? []
    const rows = [...rowsOf(story), ...rowsOf(more)] as { id: string; school_id?: string }[]
    if (!rows.some((row) => row.id === id)) continue
    const twin = rows.find((row) => (table === 'school' ? row.id === hilltop : row.school_id === hilltop))
    if (twin) return twin.id
  }
  throw new Error(`nothing at Hilltop is of the kind of ${id}`)
}
