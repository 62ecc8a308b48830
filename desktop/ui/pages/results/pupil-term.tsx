import type { StudentTerm } from '@markbook/shared/contract/calculations'
import type { Term } from '@markbook/shared/contract/terms'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Answer, Badge, Empty, numberCell, Table } from '../../components/page.tsx'
import { figure, percent } from '../../words/format.ts'
import { OVERALL, OverallDialog } from './overall-dialog.tsx'
import styles from './results.module.css'

type Props = {
  studentId: string
  term: Term
  name: string
  explained: string | undefined
  onExplain: (subjectId: string | null) => void
}

/** A pupil's term: each subject with what its result is made of. */
export function PupilTerm({ studentId, term, name, explained, onExplain }: Props) {
  const { t } = useTranslation('results')
  const result = useQuery(ask('calculations', 'studentTerm', { query: { studentId, termId: term.id } }))
  return (
    <Answer of={result}>
      {(found) => (
        <>
          <Tiles overall={found.overall_average} letter={found.letter_grade} position={found.position} total={found.total_students} />
          {found.overall_average !== null && (
            <div className={styles['toolbar']}>
              <Button size="small" onClick={() => onExplain(OVERALL)}>
                {t('explain.overallOpen')}
              </Button>
            </div>
          )}
          {explained === OVERALL && <OverallDialog name={name} student={found} onClose={() => onExplain(null)} />}
          {found.subjects.length === 0 ? (
            <Empty>{t('nothing')}</Empty>
          ) : (
            <Subjects term={term} name={name} result={found} onExplain={onExplain} />
          )}
        </>
      )}
    </Answer>
  )
}

type TilesProps = { overall: number | null; letter: string | null; position: number | null; total: number }

export function Tiles({ overall, letter, position, total }: TilesProps) {
  const { t } = useTranslation('results')
  const tiles = [
    [t('overall'), figure(overall)],
    [t('letter'), letter ?? '–'],
    [t('position'), position === null ? '–' : t('place', { position, total })],
  ] as const
  return (
    <dl className={styles['tiles']}>
      {tiles.map(([word, value]) => (
        <div key={word} className={styles['tile']}>
          <dt>{word}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

type SubjectsProps = { term: Term; name: string; result: StudentTerm; onExplain: (subjectId: string) => void }

function Subjects({ term, name, result, onExplain }: SubjectsProps) {
  const { t } = useTranslation('results')
  return (
    <Table label={t('term.label')}>
      <thead>
        <tr>
          <th scope="col">{t('subject')}</th>
          <th scope="col" className={numberCell}>
            {t('term.coursework', { weight: percent(term.coursework_weight) })}
          </th>
          <th scope="col" className={numberCell}>
            {t('term.exam', { weight: percent(term.exam_weight) })}
          </th>
          <th scope="col" className={numberCell}>
            {t('term.result')}
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
            <td className={numberCell}>{figure(subject.coursework_average)}</td>
            <td className={numberCell}>{figure(subject.exam_average)}</td>
            <td className={numberCell}>
              <strong>{figure(subject.term_composite)}</strong>
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

/** That a result rests on part of the marks, or on one that is not agreed on. */
export function States({ isPartial, isUnderReview }: { isPartial: boolean; isUnderReview: boolean }) {
  const { t } = useTranslation('results')
  return (
    <>
      {isPartial && (
        <Badge tone="warn" title={t('sign.partial')}>
          {t('sign.partialShort')}
        </Badge>
      )}{' '}
      {isUnderReview && (
        <Badge tone="warn" title={t('sign.review')}>
          {t('sign.reviewShort')}
        </Badge>
      )}
    </>
  )
}
