import { naturalId } from '../ids.ts'
import { aoife, elan, hilltopPupil } from './marks.ts'
import { class3B, english, hilltopClass, hilltopMaths, hilltopTerm, michaelmas } from './school-year.ts'

const book = (
  student: { id: string; school_id: string },
  group: typeof class3B,
  term: { id: string },
  status: 'draft' | 'published' | 'sent_to_ministry',
  subject: { id: string },
  letter: string,
) => {
  const entry = {
    subject_id: subject.id,
    coursework_average: 94,
    exam_average: 88,
    term_composite: 90.4,
    year_grade: null,
    letter_grade: letter,
    sort_order: 0,
  }
  const figures = { overall_average: 90.4, position: 1, total_students: 6 }
  return {
    id: naturalId('report_book', student.id, term.id, 'term'),
    school_id: student.school_id,
    student_id: student.id,
    academic_year_id: group.academic_year_id,
    term_id: term.id,
    student_group_id: group.id,
    report_type: 'term' as const,
    status,
    sent_snapshot: null,
    snapshot: { generated_at: '2026-01-09T15:00:00.000Z', ...figures, entries: [entry] },
    ...figures,
    class_teacher_remark: null as string | null,
    conduct: null as string | null,
    attendance_percentage: null as number | null,
  }
}
/** Aoife's Christmas report went to the ministry; Élan's is still a draft. */
export const sentReport = book(aoife, class3B, michaelmas, 'sent_to_ministry', english, 'A+')
export const draftReport = { ...book(elan, class3B, michaelmas, 'draft', english, 'A+'), class_teacher_remark: 'A steady term.' }
export const hilltopReport = {
  ...book(hilltopPupil, hilltopClass, hilltopTerm, 'draft', hilltopMaths, 'B'),
  class_teacher_remark: 'Hilltop-Marker remark',
}
export const reportBooks = [sentReport, draftReport, hilltopReport]

export const reportEntries = reportBooks.flatMap(({ id, school_id, snapshot }) =>
  snapshot.entries.map(({ letter_grade, ...figures }) => ({
    id: naturalId('report_book_entry', id, figures.subject_id),
    school_id,
    report_book_id: id,
    ...figures,
    computed_letter: letter_grade,
    manual_letter: null as string | null,
    teacher_remark: null as string | null,
  })),
)
