import type { ClassTerm, ClassYear } from '@markbook/shared/contract/calculations'
import type { GradingScale } from '@markbook/shared/contract/grading-scale'
import type { Term } from '@markbook/shared/contract/terms'
import { isPartialCell, isPartialResult, restsOnPartial } from '@markbook/shared/domain/partial'
import { meanOfPrinted } from '@markbook/shared/domain/results'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { InlineSelect, Options } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Empty } from '../../components/page.tsx'
import { type Column, figureColumn, Table } from '../../components/table.tsx'
import { figure } from '../../words/format.ts'
import { listedName, nameOf } from '../../words/names.ts'
import { termLabel } from '../../words/term-label.ts'
import { DistributionSpark } from './charts.tsx'
import { type Subject, subjectsOf } from './comparison.ts'
import { distributionOf, heatOf } from './distribution.ts'
import { figureOf, OVERALL, panelOf, YearPanel } from './explained.ts'
import { FigureSign, SignedFigure, signs } from './partial-figures.tsx'
import styles from './results.module.css'
import { useResultsSearch } from './results-search.ts'
import { sortColumn, sortRows } from './sort-head.tsx'

type TermStudent = ClassTerm['students'][number]
type YearStudent = ClassYear['students'][number]
type Student = TermStudent | YearStudent
type SubjectResult = Student['subjects'][number]
const inSubject = <T extends { subject_id: string }>({ subjects }: { subjects: readonly T[] }, subjectId: string): T | undefined =>
  subjects.find(({ subject_id }) => subject_id === subjectId)

const resultOf = (result: SubjectResult): number | null => ('year_grade' in result ? result.year_grade : result.term_composite)
const overallOf = (student: Student): number | null => ('year_overall' in student ? student.year_overall : student.overall_average)

/** Pupils by subjects, from the present marks. A press on a figure explains it. */
export function TermTable({ result, scale }: { result: ClassTerm; scale: GradingScale }) {
  const { t } = useTranslation('results')
  const { search } = useResultsSearch()
  const rows = useSortedStudents(result.students, search.sort ?? 'name')
  return (
    <>
      <SubjectsTable label={t('term.label')} overall={t('overall')} rows={rows} subjects={subjectsOf(result)} scale={scale} />
      <ResultLegend students={result.students} passMark={scale.pass_mark} />
    </>
  )
}

/** The year grade of each subject, or the parts of one subject's year grade. */
export function YearTable({ result, scale, terms }: { result: ClassYear; scale: GradingScale; terms: readonly Term[] }) {
  const { t } = useTranslation('results')
  const { search, close } = useResultsSearch()
  const subjects = subjectsOf(result)
  const subject = subjects.find(({ id }) => id === search.subject)
  const sort = subject && search.sort !== undefined && search.sort !== 'overall' ? subject.id : (search.sort ?? 'name')
  const rows = useSortedStudents(result.students, sort)
  const explained = result.students.find(({ student_id }) => student_id === search.pupil)
  const own = explained && inSubject(explained, search.explain ?? '')
  if (subjects.length === 0) return <Empty>{t('nothing')}</Empty>
  return (
    <>
      <div className={`${layout['toolbar']} ${styles['screen']}`}>
        <SubjectChoice subjects={subjects} all={t('year.all')} />
      </div>
      {subject ? (
        <OneSubject rows={rows} subject={subject} terms={terms} model={result.calculation_model} scale={scale} />
      ) : (
        <SubjectsTable label={t('year.label')} overall={t('year.overall')} rows={rows} subjects={subjects} scale={scale} />
      )}
      <ResultLegend students={result.students} passMark={scale.pass_mark} />
      {explained && own && (
        <YearPanel
          name={nameOf(explained.student)}
          yearId={result.academic_year_id}
          model={result.calculation_model}
          subject={own}
          scale={scale}
          panel={panelOf(explained.student_id, own.subject_id, close)}
        />
      )}
    </>
  )
}

/** The students sorted by `name`, `overall` or the id of a subject. */
function useSortedStudents<S extends Student>(students: readonly S[], sort: string): S[] {
  const { search } = useResultsSearch()
  return sortRows(students, sort, search.down ?? false, (student) => {
    if (sort === 'overall') return overallOf(student)
    const own = inSubject<SubjectResult>(student, sort)
    return own ? resultOf(own) : null
  })
}

/** The meanings of the signs in a table. */
function ResultLegend({ students, passMark }: { students: readonly Student[]; passMark: number }) {
  const { t } = useTranslation('results')
  const all = students.flatMap((student): SubjectResult[] => student.subjects)
  const found = [
    all.some((result) => (resultOf(result) ?? passMark) < passMark) && (['under', '00.00'] as const),
    all.some(isPartialResult) && (['partial', signs.partial] as const),
    all.some(({ under_review }) => under_review) && (['review', signs.review] as const),
  ].filter((sign) => sign !== false)
  return (
    <p className={layout['legend']}>
      <span className={styles['screen']}>
        <HeatKey /> {t('sign.heat')}
      </span>
      {found.map(([of, sign]) => (
        <span key={of}>
          <span className={styles[of === 'under' ? 'under' : 'sign']}>{sign}</span> {t(`sign.${of}`)}
        </span>
      ))}
    </p>
  )
}

/** The background colours of results, from weak to strong. */
const HeatKey = () => (
  <span className={styles['heatKey']} aria-hidden="true">
    {([1, 2, 3] as const).map((heat) => (
      <span key={heat} data-heat={heat} />
    ))}
  </span>
)

function usePupilColumn(): Column<Student> {
  const { t } = useTranslation('results')
  const { classId } = useResultsSearch()
  return sortColumn(
    { by: 'name', name: t('pupil') },
    (student) => (
      <Link
        to="/results/$classId/students/$studentId"
        params={{ classId, studentId: student.student_id }}
        search={'year_overall' in student ? { view: 'year' } : {}}
        className={styles['name']}
        title={listedName(student.student)}
        dir="auto"
      >
        {listedName(student.student)}
      </Link>
    ),
    [t('summary.mean'), t('chart.distribution')],
  )
}

/** The feet of a column of results: their mean, and their number in each band of the scale. */
function useFeet(scale: GradingScale) {
  return (name: string, results: readonly (number | null)[]): ReactNode[] => [
    <span key="mean" className={styles['figure']}>
      {figure(meanOfPrinted(results))}
      <span className={styles['signs']} />
      <span className={styles['letter']} />
    </span>,
    <DistributionSpark key="distribution" name={name} bins={distributionOf(results, scale.bands, scale.pass_mark)} />,
  ]
}

function SubjectFigure({ student, subjectId, passMark }: { student: Student; subjectId: string; passMark: number }) {
  const { t } = useTranslation('results')
  const { explained, explain } = useExplained()
  const own = inSubject<SubjectResult>(student, subjectId)
  if (!own) return null
  return (
    <FigureCell
      value={resultOf(own)}
      letter={own.letter_grade}
      passMark={passMark}
      isPartial={isPartialResult(own)}
      isUnderReview={own.under_review === true}
      label={t('explain.of', { name: nameOf(student.student), subject: own.subject_name })}
      of={figureOf(student.student_id, subjectId)}
      isExplained={explained === figureOf(student.student_id, subjectId)}
      onExplain={() => explain(student.student_id, subjectId)}
    />
  )
}

/** The figure that is explained, and a function that explains another one; for the same figure it closes the panel. */
function useExplained() {
  const { search, explain: open, close } = useResultsSearch()
  const explained = search.pupil && search.explain ? figureOf(search.pupil, search.explain) : null
  const explain = (pupil: string, subject: string) => (explained === figureOf(pupil, subject) ? close() : open(pupil, subject))
  return { explained, explain }
}

/** With more subjects columns are narrower in print, the more of them there are. */
const MANY = 10

declare module 'react' {
  interface CSSProperties {
    '--subjects'?: number
  }
}

/** Wraps a table of this many subjects, which is printed in landscape format. */
export const Sheet = ({ subjects, children }: { subjects: number; children: ReactNode }) => (
  <div className={`${styles['sheet']} ${subjects > MANY ? styles['many'] : ''}`} style={{ '--subjects': subjects }}>
    {children}
  </div>
)

type TableProps = { label: string; overall: string; rows: readonly Student[]; subjects: readonly Subject[]; scale: GradingScale }

function SubjectsTable({ label, overall, rows, subjects, scale }: TableProps) {
  const { t } = useTranslation('results')
  const { explained, explain } = useExplained()
  const feetOf = useFeet(scale)
  const passMark = scale.pass_mark
  const resultsIn = (id: string) =>
    rows.map((student) => {
      const own = inSubject<SubjectResult>(student, id)
      return own ? resultOf(own) : null
    })
  const columns: Column<Student>[] = [
    usePupilColumn(),
    ...subjects.map(({ id, name, code }) =>
      sortColumn<Student>(
        { by: id, name, code },
        (student) => <SubjectFigure student={student} subjectId={id} passMark={passMark} />,
        feetOf(name, resultsIn(id)),
      ),
    ),
    sortColumn(
      { by: 'overall', name: overall },
      (student) => (
        <FigureCell
          value={overallOf(student)}
          letter={student.letter_grade}
          passMark={passMark}
          isPartial={restsOnPartial(overallOf(student), student.subjects)}
          label={t('explain.of', { name: nameOf(student.student), subject: t('overall') })}
          of={figureOf(student.student_id, OVERALL)}
          isExplained={explained === figureOf(student.student_id, OVERALL)}
          onExplain={'year_overall' in student ? undefined : () => explain(student.student_id, OVERALL)}
        />
      ),
      feetOf(overall, rows.map(overallOf)),
    ),
    { head: t('position'), look: 'number', cell: ({ position }) => position ?? '–' },
  ]
  return (
    <Sheet subjects={subjects.length}>
      <Table wide label={label} columns={columns} rows={rows} keyOf={({ student_id }) => student_id} />
    </Sheet>
  )
}

type OneProps = {
  rows: readonly YearStudent[]
  subject: Subject
  terms: readonly Term[]
  model: ClassYear['calculation_model']
  scale: GradingScale
}

/** The parts of a year that count in each grading model. */
const yearParts = {
  weighted_continuous: ['end_of_year_exam'],
  continuous_cumulative: ['coursework_total', 'exam_total'],
  weighted_cumulative: ['coursework_total'],
} as const

/** The columns of a subject's terms, and of the parts of its year that count in a grading model. */
export function useYearColumns<Row>(terms: readonly Term[], subjectOf: (row: Row) => YearStudent['subjects'][number] | undefined) {
  const { t } = useTranslation(['results', 'app'])
  return (model: ClassYear['calculation_model']): Column<Row>[] => [
    ...terms.map(
      ({ id, name }): Column<Row> => ({
        head: termLabel(name),
        look: 'number',
        cell: (row) => {
          const cell = subjectOf(row)?.terms.find(({ term_id }) => term_id === id)
          return <SignedFigure value={cell?.term_composite ?? null} isPartial={cell !== undefined && isPartialCell(cell)} />
        },
      }),
    ),
    ...yearParts[model].map((part) => figureColumn(t(`year.${part}`), (row: Row) => subjectOf(row)?.[part])),
  ]
}

function OneSubject({ rows, subject, terms, model, scale }: OneProps) {
  const { t } = useTranslation('results')
  const feetOf = useFeet(scale)
  const columns: Column<YearStudent>[] = [
    usePupilColumn(),
    ...useYearColumns(terms, (student: YearStudent) => inSubject(student, subject.id))(model),
    sortColumn(
      { by: subject.id, name: t('year.grade') },
      (student) => <SubjectFigure student={student} subjectId={subject.id} passMark={scale.pass_mark} />,
      feetOf(
        subject.name,
        rows.map((student) => inSubject(student, subject.id)?.year_grade ?? null),
      ),
    ),
  ]
  return <Table wide label={t('year.of', { subject: subject.name })} columns={columns} rows={rows} keyOf={({ student_id }) => student_id} />
}

type FigureProps = {
  isPartial?: boolean
  isUnderReview?: boolean
  value: number | null
  letter: string | null
  passMark: number
  label: string
  /** The key by which the panel finds the cell. */
  of: string
  isExplained: boolean
  onExplain?: (() => void) | undefined
}

/**
 * A result with its letter, with a background by its value; a press explains it. A result below the pass mark is also underlined, so that
 * colour is not the only sign.
 */
function FigureCell({ value, letter, passMark, label, isPartial, isUnderReview, of, isExplained, onExplain }: FigureProps) {
  const shown = (
    <>
      <span className={value !== null && value < passMark ? styles['under'] : undefined}>{figure(value)}</span>
      <span className={styles['signs']}>
        {isPartial && <FigureSign of="partial" />}
        {isUnderReview && <FigureSign of="review" />}
      </span>
      <span className={styles['letter']}>
        <bdi>{letter}</bdi>
      </span>
    </>
  )
  const heat = heatOf(value, passMark) ?? undefined
  if (!onExplain || value === null)
    return (
      <span className={styles['figure']} data-heat={heat}>
        {shown}
      </span>
    )
  return (
    <button
      type="button"
      className={styles['figure']}
      data-heat={heat}
      data-figure={of}
      aria-haspopup="dialog"
      aria-expanded={isExplained}
      title={label}
      onClick={onExplain}
    >
      {shown}
    </button>
  )
}

/** A choice of subject; `all`: the text of the choice for all subjects. */
export function SubjectChoice({ subjects, all }: { subjects: readonly { id: string; name: string }[]; all: string }) {
  const { t } = useTranslation('results')
  const { search, change } = useResultsSearch()
  const choose = (subject: string) => change(({ subject: _before, ...rest }) => (subject ? { ...rest, subject } : rest), true)
  return (
    <InlineSelect
      label={t('subject')}
      className={styles['switch']}
      value={subjects.some(({ id }) => id === search.subject) ? search.subject : ''}
      onChange={({ target }) => choose(target.value)}
    >
      <option value="">{all}</option>
      <Options of={subjects} />
    </InlineSelect>
  )
}
