import type { ClassYear } from '@markbook/shared/contract/calculations'
import type { GradingScale } from '@markbook/shared/contract/grading-scale'
import type { Term } from '@markbook/shared/contract/terms'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Empty, Table } from '../../components/page.tsx'
import { figure } from '../../words/format.ts'
import { subjectsOf } from './comparison.ts'
import { FigureCell, Legend } from './figure-cell.tsx'
import { fullName, listName } from './names.ts'
import styles from './results.module.css'
import { SortHead } from './sort-head.tsx'
import { byFigure } from './sorting.ts'
import { SubjectChoice } from './subject-choice.tsx'
import { useResultsSearch } from './use-results-search.ts'
import { YearDialog } from './year-dialog.tsx'

type Student = ClassYear['students'][number]
type Subject = Student['subjects'][number]
const inSubject = ({ subjects }: Student, subjectId: string): Subject | undefined =>
  subjects.find(({ subject_id }) => subject_id === subjectId)

function sorted(students: readonly Student[], sort: string, down: boolean): Student[] {
  if (sort === 'name') return down ? [...students].reverse() : [...students]
  if (sort === 'overall') return byFigure(students, ({ year_overall }) => year_overall, down)
  return byFigure(students, (student) => inSubject(student, sort)?.year_grade ?? null, down)
}

/** The year: each subject's year grade, or of one subject what it is made of, term by term. */
export function YearTable({ result, scale, terms }: { result: ClassYear; scale: GradingScale; terms: readonly Term[] }) {
  const { t } = useTranslation('results')
  const { search } = useResultsSearch()
  const subjects = subjectsOf(result)
  const subject = subjects.find(({ id }) => id === search.subject)
  const sort = subject && search.sort !== 'overall' ? (search.sort === undefined ? 'name' : subject.id) : (search.sort ?? 'name')
  const rows = sorted(result.students, sort, search.down ?? false)
  if (subjects.length === 0) return <Empty>{t('nothing')}</Empty>
  const grades = result.students.flatMap((student) => student.subjects)
  return (
    <>
      <div className={styles['toolbar']}>
        <SubjectChoice subjects={subjects} all={t('year.all')} />
      </div>
      {subject ? (
        <OneSubject rows={rows} subject={subject} terms={terms} model={result.calculation_model} passMark={scale.pass_mark} />
      ) : (
        <AllSubjects rows={rows} subjects={subjects} passMark={scale.pass_mark} />
      )}
      <Legend
        hasPartial={grades.some(({ is_partial }) => is_partial)}
        hasReview={grades.some(({ under_review }) => under_review)}
        hasUnder={grades.some(({ year_grade }) => year_grade !== null && year_grade < scale.pass_mark)}
      />
      <Explained result={result} scale={scale} />
    </>
  )
}

function Explained({ result, scale }: { result: ClassYear; scale: GradingScale }) {
  const { search, change } = useResultsSearch()
  const student = result.students.find(({ student_id }) => student_id === search.pupil)
  const own = student && inSubject(student, search.explain ?? '')
  if (!own) return null
  return (
    <YearDialog
      name={fullName(student.student)}
      yearId={result.academic_year_id}
      model={result.calculation_model}
      subject={own}
      scale={scale}
      onClose={() => change(({ pupil: _pupil, explain: _explain, ...rest }) => rest, true)}
    />
  )
}

const Pupil = ({ student }: { student: Student }) => {
  const { classId } = useResultsSearch()
  return (
    <th scope="row" className={styles['head']}>
      <Link to="/results/$classId/students/$studentId" params={{ classId, studentId: student.student_id }} search={{ view: 'year' }}>
        {listName(student.student)}
      </Link>
    </th>
  )
}

function YearGrade({ student, own, passMark }: { student: Student; own: Subject | undefined; passMark: number }) {
  const { t } = useTranslation('results')
  const { change } = useResultsSearch()
  return (
    <td className={styles['cell']}>
      {own && (
        <FigureCell
          value={own.year_grade}
          letter={own.letter_grade}
          passMark={passMark}
          isPartial={own.is_partial}
          isUnderReview={own.under_review === true}
          label={t('explain.of', { name: fullName(student.student), subject: own.subject_name })}
          onExplain={() => change((before) => ({ ...before, pupil: student.student_id, explain: own.subject_id }))}
        />
      )}
    </td>
  )
}

type ListedSubject = { id: string; name: string; code: string }

function AllSubjects({ rows, subjects, passMark }: { rows: readonly Student[]; subjects: readonly ListedSubject[]; passMark: number }) {
  const { t } = useTranslation('results')
  return (
    <Table label={t('year.label')}>
      <thead>
        <tr>
          <SortHead isFirst by="name" name={t('pupil')} />
          {subjects.map(({ id, name, code }) => (
            <SortHead key={id} by={id} name={code} title={name} />
          ))}
          <SortHead by="overall" name={t('year.overall')} />
          <th scope="col" className={styles['cell']}>
            {t('position')}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((student) => (
          <tr key={student.student_id}>
            <Pupil student={student} />
            {subjects.map(({ id }) => (
              <YearGrade key={id} student={student} own={inSubject(student, id)} passMark={passMark} />
            ))}
            <td className={styles['cell']}>
              <FigureCell value={student.year_overall} letter={student.letter_grade} passMark={passMark} label="" />
            </td>
            <td className={styles['cell']}>{student.position ?? '–'}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  )
}

type OneProps = {
  rows: readonly Student[]
  subject: ListedSubject
  terms: readonly Term[]
  model: ClassYear['calculation_model']
  passMark: number
}

/** The parts of a year that count under this model, each with its name. */
export const partsOf = (model: ClassYear['calculation_model']) =>
  model === 'weighted_continuous'
    ? (['end_of_year_exam'] as const)
    : model === 'continuous_cumulative'
      ? (['coursework_total', 'exam_total'] as const)
      : (['coursework_total'] as const)

function OneSubject({ rows, subject, terms, model, passMark }: OneProps) {
  const { t } = useTranslation(['results', 'app'])
  const parts = partsOf(model)
  return (
    <Table label={t('year.of', { subject: subject.name })}>
      <thead>
        <tr>
          <SortHead isFirst by="name" name={t('pupil')} />
          {terms.map(({ id, name }) => (
            <th key={id} scope="col" className={styles['cell']}>
              {t(`app:term.${name}`)}
            </th>
          ))}
          {parts.map((part) => (
            <th key={part} scope="col" className={styles['cell']}>
              {t(`year.${part}`)}
            </th>
          ))}
          <SortHead by={subject.id} name={t('year.grade')} />
        </tr>
      </thead>
      <tbody>
        {rows.map((student) => {
          const own = inSubject(student, subject.id)
          return (
            <tr key={student.student_id}>
              <Pupil student={student} />
              {terms.map(({ id }) => (
                <td key={id} className={styles['cell']}>
                  {figure(own?.terms.find(({ term_id }) => term_id === id)?.term_composite ?? null)}
                </td>
              ))}
              {parts.map((part) => (
                <td key={part} className={styles['cell']}>
                  {figure(own?.[part] ?? null)}
                </td>
              ))}
              <YearGrade student={student} own={own} passMark={passMark} />
            </tr>
          )
        })}
      </tbody>
    </Table>
  )
}
