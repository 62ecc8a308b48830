import type { StudentTerm, StudentYear } from '@markbook/shared/contract/calculations'
import type { Term } from '@markbook/shared/contract/terms'
import { isPartialResult, restsOnPartial } from '@markbook/shared/domain/partial'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import layout from '../../components/layout.module.css'
import { Answer, Badge, Empty, Facts } from '../../components/page.tsx'
import { type Column, figureColumn, Table } from '../../components/table.tsx'
import { figure, percent } from '../../words/format.ts'
import { ResultBar, TermLine } from './charts.tsx'
import { useScale } from './class-page.tsx'
import { useYearColumns } from './class-tables.tsx'
import { figureOf, OVERALL, OverallPanel, panelOf, YearPanel } from './explained.ts'
import { FigureSign, PartialLegend, SignedFigure } from './partial-figures.tsx'
import styles from './results.module.css'

type PupilProps = {
  studentId: string
  name: string
  /** The id of the subject that is explained, or `OVERALL`. */
  explained: string | undefined
  onExplain: (subjectId: string | null) => void
}

/** A pupil's term: the parts and the result of each subject. */
export function PupilTerm({ studentId, term, name, explained, onExplain }: PupilProps & { term: Term }) {
  const { t } = useTranslation('results')
  const scale = useScale(term.academic_year_id)
  const result = useQuery(ask('calculations', 'studentTerm', { query: { studentId, termId: term.id } }))
  const columns: Column<StudentTerm['subjects'][number]>[] = [
    figureColumn(t('term.coursework', { weight: percent(term.coursework_weight) }), (subject) => subject.coursework_average),
    figureColumn(t('term.exam', { weight: percent(term.exam_weight) }), (subject) => subject.exam_average),
    { head: t('term.result'), look: 'number', cell: (subject) => <strong>{figure(subject.term_composite)}</strong> },
    {
      head: t('term.bar'),
      look: 'hidden',
      className: styles['drawn'],
      cell: ({ term_composite }) =>
        term_composite !== null && scale.data && <ResultBar result={term_composite} passMark={scale.data.pass_mark} />,
    },
  ]
  return (
    <Answer of={result}>
      {(found) => (
        <>
          <ResultTiles overall={found.overall_average} result={found} />
          {found.overall_average !== null && (
            <div className={`${layout['toolbar']} ${styles['screen']}`}>
              <Button size="small" aria-haspopup="dialog" data-figure={figureOf(studentId, OVERALL)} onClick={() => onExplain(OVERALL)}>
                {t('explain.overallOpen')}
              </Button>
            </div>
          )}
          {explained === OVERALL && <OverallPanel name={name} student={found} panel={panelOf(studentId, OVERALL, () => onExplain(null))} />}
          <SubjectTable
            label={t('term.label')}
            studentId={studentId}
            name={name}
            columns={columns}
            subjects={found.subjects}
            onExplain={onExplain}
          />
        </>
      )}
    </Answer>
  )
}

type PupilYearProps = PupilProps & { yearId: string; terms: readonly Term[] }

/** A pupil's year: the terms, the totals by the grading model and the year grade of each subject. */
export function PupilYear({ studentId, yearId, terms, name, explained, onExplain }: PupilYearProps) {
  const { t } = useTranslation(['results', 'app'])
  const scale = useScale(yearId)
  const result = useQuery(ask('calculations', 'studentYear', { query: { studentId, academicYearId: yearId } }))
  const partsOf = useYearColumns(terms, (subject: StudentYear['subjects'][number]) => subject)
  const grade: Column<StudentYear['subjects'][number]> = {
    head: t('year.grade'),
    look: 'number',
    cell: (subject) => <SignedFigure isStrong value={subject.year_grade} isPartial={isPartialResult(subject)} />,
  }
  const course: Column<StudentYear['subjects'][number]> = {
    head: t('year.course'),
    look: 'hidden',
    cell: (subject) => <TermLine results={subject.terms.map(({ term_composite }) => term_composite)} />,
  }
  return (
    <Answer of={result}>
      {(found) => {
        const subject = found.subjects.find(({ subject_id }) => subject_id === explained)
        return (
          <>
            <ResultTiles overall={found.year_overall} result={found} />
            <SubjectTable
              label={t('year.label')}
              studentId={studentId}
              name={name}
              columns={[...partsOf(found.calculation_model), grade, course]}
              subjects={found.subjects}
              onExplain={onExplain}
            />
            {subject && scale.data && (
              <YearPanel
                name={name}
                yearId={found.academic_year_id}
                model={found.calculation_model}
                subject={subject}
                scale={scale.data}
                panel={panelOf(studentId, subject.subject_id, () => onExplain(null))}
              />
            )}
          </>
        )
      }}
    </Answer>
  )
}

function ResultTiles({ overall, result }: { overall: number | null; result: StudentTerm | StudentYear }) {
  const { t } = useTranslation('results')
  const { letter_grade, position, total_students: total } = result
  const place = position === null ? '–' : t('place', { position, total })
  const isPartial = restsOnPartial(overall, result.subjects)
  return (
    <>
      <Facts
        className={styles['tiles']}
        of={[
          [
            t('overall'),
            <span key="overall">
              {figure(overall)}
              {isPartial && <FigureSign of="partial" />}
            </span>,
          ],
          [t('letter'), <bdi key="letter">{letter_grade ?? '–'}</bdi>],
          [t('position'), place],
        ]}
      />
      {isPartial && <PartialLegend />}
    </>
  )
}

type Subject = (StudentTerm | StudentYear)['subjects'][number]
type TableProps<S> = {
  label: string
  studentId: string
  name: string
  /** The columns between subject and letter. */
  columns: readonly Column<S>[]
  subjects: readonly S[]
  onExplain: (subjectId: string) => void
}

function SubjectTable<S extends Subject>({ label, studentId, name, columns, subjects, onExplain }: TableProps<S>) {
  const { t } = useTranslation('results')
  const badge = (sign: 'partial' | 'review') => (
    <Badge tone="warn" title={t(`sign.${sign}`)}>
      {t(`sign.${sign}Short`)}
    </Badge>
  )
  const all: Column<S>[] = [
    { head: t('subject'), cell: (subject) => subject.subject_name },
    ...columns,
    { head: t('letter'), cell: (subject) => <bdi>{subject.letter_grade ?? '–'}</bdi> },
    {
      head: t('remark'),
      cell: ({ remark, under_review, ...own }) =>
        (remark || isPartialResult(own) || under_review) && (
          <>
            {remark} {isPartialResult(own) && badge('partial')} {under_review && badge('review')}
          </>
        ),
    },
    {
      head: t('explain.open'),
      look: 'hidden',
      className: styles['screen'],
      cell: (subject) => (
        <Button
          look="quiet"
          size="small"
          aria-haspopup="dialog"
          data-figure={figureOf(studentId, subject.subject_id)}
          aria-label={t('explain.of', { name, subject: subject.subject_name })}
          onClick={() => onExplain(subject.subject_id)}
        >
          {t('explain.open')}
        </Button>
      ),
    },
  ]
  if (subjects.length === 0) return <Empty>{t('nothing')}</Empty>
  return <Table label={label} columns={all} rows={subjects} keyOf={({ subject_id }) => subject_id} />
}
