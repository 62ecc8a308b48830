import type { StudentYear } from '@markbook/shared/contract/calculations'
import type { Term } from '@markbook/shared/contract/terms'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { Answer, Empty, numberCell, Table } from '../../components/page.tsx'
import { figure } from '../../words/format.ts'
import { States, Tiles } from './pupil-term.tsx'
import { partsOf } from './year-table.tsx'

/** A pupil's year: every term, what the model makes of them, the year grade. */
export function PupilYear({ studentId, yearId, terms }: { studentId: string; yearId: string; terms: readonly Term[] }) {
  const { t } = useTranslation('results')
  const result = useQuery(ask('calculations', 'studentYear', { query: { studentId, academicYearId: yearId } }))
  return (
    <Answer of={result}>
      {(found) => (
        <>
          <Tiles overall={found.year_overall} letter={found.letter_grade} position={found.position} total={found.total_students} />
          {found.subjects.length === 0 ? <Empty>{t('nothing')}</Empty> : <Subjects result={found} terms={terms} />}
        </>
      )}
    </Answer>
  )
}

function Subjects({ result, terms }: { result: StudentYear; terms: readonly Term[] }) {
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
          </tr>
        ))}
      </tbody>
    </Table>
  )
}
