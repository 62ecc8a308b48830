import type { StudentYear } from '@markbook/shared/contract/calculations'
import type { GradingScale } from '@markbook/shared/contract/grading-scale'
import type { Term } from '@markbook/shared/contract/terms'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Answer, Empty, numberCell, Table } from '../../components/page.tsx'
import { figure } from '../../words/format.ts'
import { States, Tiles } from './pupil-term.tsx'
import { useScale } from './use-scale.ts'
import { YearDialog } from './year-dialog.tsx'
import { partsOf } from './year-table.tsx'

type Props = {
  studentId: string
  yearId: string
  terms: readonly Term[]
  name: string
  explained: string | undefined
  onExplain: (subjectId: string | null) => void
}

/** A pupil's year: every term, what the model makes of them, the year grade. */
export function PupilYear({ studentId, yearId, terms, name, explained, onExplain }: Props) {
  const { t } = useTranslation('results')
  const scale = useScale()
  const result = useQuery(ask('calculations', 'studentYear', { query: { studentId, academicYearId: yearId } }))
  return (
    <Answer of={result}>
      {(found) => (
        <>
          <Tiles overall={found.year_overall} letter={found.letter_grade} position={found.position} total={found.total_students} />
          {found.subjects.length === 0 ? (
            <Empty>{t('nothing')}</Empty>
          ) : (
            <Subjects result={found} terms={terms} name={name} onExplain={onExplain} />
          )}
          <Explained found={found} subjectId={explained} scale={scale.data} name={name} onClose={() => onExplain(null)} />
        </>
      )}
    </Answer>
  )
}

type ExplainedProps = {
  found: StudentYear
  subjectId: string | undefined
  scale: GradingScale | undefined
  name: string
  onClose: () => void
}

function Explained({ found, subjectId, scale, name, onClose }: ExplainedProps) {
  const subject = found.subjects.find(({ subject_id }) => subject_id === subjectId)
  if (!subject || !scale) return null
  return (
    <YearDialog
      name={name}
      yearId={found.academic_year_id}
      model={found.calculation_model}
      subject={subject}
      scale={scale}
      onClose={onClose}
    />
  )
}

type SubjectsProps = { result: StudentYear; terms: readonly Term[]; name: string; onExplain: (subjectId: string) => void }

function Subjects({ result, terms, name, onExplain }: SubjectsProps) {
  const { t } = useTranslation(['results', 'app'])
  const parts = partsOf(result.calculation_model)
  return (
    <Table label={t('year.label')}>
      <thead>
        <tr>
          <th scope="col">{t('subject')}</th>
          {terms.map(({ id, name }) => (
            <th key={id} scope="col" className={numberCell}>
              {t(`app:term.${name}`)}
            </th>
          ))}
          {parts.map((part) => (
            <th key={part} scope="col" className={numberCell}>
              {t(`year.${part}`)}
            </th>
          ))}
          <th scope="col" className={numberCell}>
            {t('year.grade')}
          </th>
          <th scope="col">{t('letter')}</th>
          <th scope="col">{t('remark')}</th>
          <th scope="col">
            <span className="hidden">{t('explain.open')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {result.subjects.map((subject) => (
          <tr key={subject.subject_id}>
            <th scope="row">{subject.subject_name}</th>
            {terms.map(({ id }) => (
              <td key={id} className={numberCell}>
                {figure(subject.terms.find(({ term_id }) => term_id === id)?.term_composite ?? null)}
              </td>
            ))}
            {parts.map((part) => (
              <td key={part} className={numberCell}>
                {figure(subject[part])}
              </td>
            ))}
            <td className={numberCell}>
              <strong>{figure(subject.year_grade)}</strong>
            </td>
            <td>{subject.letter_grade ?? '–'}</td>
            <td>
              {subject.remark} <States isPartial={subject.is_partial} isUnderReview={subject.under_review === true} />
            </td>
            <td>
              <Button
                size="small"
                aria-label={t('explain.of', { name, subject: subject.subject_name })}
                onClick={() => onExplain(subject.subject_id)}
              >
                {t('explain.open')}
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  )
}
