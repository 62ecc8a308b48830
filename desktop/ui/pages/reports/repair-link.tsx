import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { fullName } from '../results/names.ts'
import type { Finding } from './checks.ts'
import styles from './reports.module.css'
import type { OfBooks } from './use-books.ts'

const ofMarks = ['missing_mark', 'under_review', 'partial', 'exam_outlier', 'pupil_outlier', 'subject_outlier']

/** Where a finding is repaired: among the marks, or in the row of the form where something is to be written. */
export function RepairLink({ of, finding: { kind, student, subject, bookId } }: { of: OfBooks; finding: Finding }) {
  const { t } = useTranslation('reports')
  const about = [student && fullName(student), subject?.name].filter(Boolean).join(', ')
  if (kind === 'no_assessment')
    return (
      <Link to="/assessments" search={{ subject: subject?.id }} aria-label={`${t('check.assess')}: ${about}`}>
        {t('check.assess')}
      </Link>
    )
  if (ofMarks.includes(kind) && subject)
    return (
      <span className={styles['links']}>
        {student && of.type === 'term' && kind !== 'missing_mark' && (
          <Link
            to="/results/$classId/students/$studentId"
            params={{ classId: of.classId, studentId: student.id }}
            search={{ explain: subject.id }}
            aria-label={`${t('check.working')}: ${about}`}
          >
            {t('check.working')}
          </Link>
        )}
        <MarksLink classId={of.classId} subjectId={subject.id} about={about} />
      </span>
    )
  if (kind === 'no_book' || kind === 'out_of_date') return null
  const type = of.type === 'year_end' ? of.type : undefined
  const isLine = kind === 'no_subject_remark'
  return (
    <Link
      to="/reports/$classId"
      params={{ classId: of.classId }}
      search={{ type, view: 'fill', ...(isLine && { subject: subject?.id }), at: bookId }}
      aria-label={`${t('check.write')}: ${about}`}
    >
      {t('check.write')}
    </Link>
  )
}

/** The marks of a subject in this class. */
function MarksLink({ classId, subjectId, about }: { classId: string; subjectId: string; about: string }) {
  const { t } = useTranslation('reports')
  return (
    <Link to="/marks/$classId/$subjectId" params={{ classId, subjectId }} aria-label={`${t('check.marks')}: ${about}`}>
      {t('check.marks')}
    </Link>
  )
}
