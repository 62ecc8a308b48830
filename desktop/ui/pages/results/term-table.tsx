import type { ClassTerm } from '@markbook/shared/contract/calculations'
import type { GradingScale } from '@markbook/shared/contract/grading-scale'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Table } from '../../components/page.tsx'
import { subjectsOf } from './comparison.ts'
import { FigureCell, Legend } from './figure-cell.tsx'
import { fullName, listName } from './names.ts'
import { OVERALL } from './overall-dialog.tsx'
import styles from './results.module.css'
import { SortHead } from './sort-head.tsx'
import { byFigure } from './sorting.ts'
import { useResultsSearch } from './use-results-search.ts'

type Student = ClassTerm['students'][number]
const compositeIn = ({ subjects }: Student, subjectId: string) => subjects.find(({ subject_id }) => subject_id === subjectId)

function sorted(students: readonly Student[], sort: string, down: boolean): Student[] {
  if (sort === 'name') return down ? [...students].reverse() : [...students]
  if (sort === 'overall') return byFigure(students, ({ overall_average }) => overall_average, down)
  return byFigure(students, (student) => compositeIn(student, sort)?.term_composite ?? null, down)
}

/** Pupils by subjects: what each is, by the marks of now. A press on a figure shows how it came about. */
export function TermTable({ result, scale }: { result: ClassTerm; scale: GradingScale }) {
  const { t } = useTranslation('results')
  const { search, change } = useResultsSearch()
  const subjects = subjectsOf(result)
  const rows = sorted(result.students, search.sort ?? 'name', search.down ?? false)
  const all = result.students.flatMap((student) => student.subjects)
  const explain = (pupil: string, subject: string) => change((before) => ({ ...before, pupil, explain: subject }))
  return (
    <>
      <Table label={t('term.label')}>
        <thead>
          <tr>
            <SortHead isFirst by="name" name={t('pupil')} />
            {subjects.map(({ id, name, code }) => (
              <SortHead key={id} by={id} name={code} title={name} />
            ))}
            <SortHead by="overall" name={t('overall')} />
            <th scope="col" className={styles['cell']}>
              {t('position')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((student) => (
            <TermRow key={student.student_id} student={student} subjects={subjects} scale={scale} onExplain={explain} />
          ))}
        </tbody>
      </Table>
      <Legend
        hasPartial={all.some(({ is_partial }) => is_partial)}
        hasReview={all.some(({ under_review }) => under_review)}
        hasUnder={all.some(({ term_composite }) => term_composite !== null && term_composite < scale.pass_mark)}
      />
    </>
  )
}

type RowProps = {
  student: Student
  subjects: readonly { id: string; name: string }[]
  scale: GradingScale
  onExplain: (pupil: string, subject: string) => void
}

function TermRow({ student, subjects, scale, onExplain }: RowProps) {
  const { t } = useTranslation('results')
  const { classId } = useResultsSearch()
  return (
    <tr>
      <th scope="row" className={styles['head']}>
        <Link to="/results/$classId/students/$studentId" params={{ classId, studentId: student.student_id }}>
          {listName(student.student)}
        </Link>
      </th>
      {subjects.map(({ id, name }) => {
        const own = compositeIn(student, id)
        return (
          <td key={id} className={styles['cell']}>
            {own && (
              <FigureCell
                value={own.term_composite}
                letter={own.letter_grade}
                passMark={scale.pass_mark}
                isPartial={own.is_partial}
                isUnderReview={own.under_review === true}
                label={t('explain.of', { name: fullName(student.student), subject: name })}
                onExplain={() => onExplain(student.student_id, id)}
              />
            )}
          </td>
        )
      })}
      <td className={styles['cell']}>
        <FigureCell
          value={student.overall_average}
          letter={student.letter_grade}
          passMark={scale.pass_mark}
          label={t('explain.of', { name: fullName(student.student), subject: t('overall') })}
          onExplain={() => onExplain(student.student_id, OVERALL)}
        />
      </td>
      <td className={styles['cell']}>{student.position ?? '–'}</td>
    </tr>
  )
}
