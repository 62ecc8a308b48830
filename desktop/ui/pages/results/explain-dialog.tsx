import type { Explanation } from '@markbook/shared/contract/calculations'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Actions } from '../../components/field.tsx'
import { Answer, Badge, Empty, Notice, numberCell, Table } from '../../components/page.tsx'
import { number } from '../../words/format.ts'
import { ExplainSteps } from './explain-steps.tsx'

type Props = { studentId: string; termId: string; subjectId: string; name: string; onClose: () => void }

/** How a figure came about: every mark, used or left out and why, and each step with its numbers. */
export function ExplainDialog({ studentId, termId, subjectId, name, onClose }: Props) {
  const { t } = useTranslation(['results', 'app'])
  const explained = useQuery(ask('calculations', 'explain', { query: { studentId, termId, subjectId } }))
  const subject = explained.data?.result.subject_name ?? ''
  return (
    <Dialog open wide title={t('explain.title', { name, subject })} onClose={onClose}>
      <Answer of={explained}>
        {(explanation) => (
          <>
            {explanation.result.under_review && <Notice tone="warn">{t('explain.review')}</Notice>}
            <Marks marks={explanation.marks} />
            <ExplainSteps steps={explanation.steps} />
          </>
        )}
      </Answer>
      <Actions>
        <Button onClick={onClose}>{t('app:action.close')}</Button>
      </Actions>
    </Dialog>
  )
}

type Mark = Explanation['marks'][number]

function Marks({ marks }: { marks: readonly Mark[] }) {
  const { t } = useTranslation('results')
  if (marks.length === 0) return <Empty>{t('explain.noAssessments')}</Empty>
  return (
    <Table label={t('explain.marks')}>
      <thead>
        <tr>
          <th scope="col">{t('explain.assessment')}</th>
          <th scope="col">{t('explain.kind')}</th>
          <th scope="col" className={numberCell}>
            {t('explain.mark')}
          </th>
          <th scope="col" className={numberCell}>
            %
          </th>
          <th scope="col" className={numberCell}>
            {t('explain.weight')}
          </th>
          <th scope="col">{t('explain.counts')}</th>
        </tr>
      </thead>
      <tbody>
        {marks.map((mark) => (
          <tr key={mark.assessment_id}>
            <th scope="row">{mark.title}</th>
            <td>{t(`explain.${mark.assessment_type}`)}</td>
            <td className={numberCell}>
              {mark.score === null ? '–' : number(mark.score)} / {number(mark.max_score)}
            </td>
            <td className={numberCell}>{mark.percentage ? number(mark.percentage.decimal) : '–'}</td>
            <td className={numberCell}>{number(mark.weight)}</td>
            <td>
              <Use mark={mark} />
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  )
}

function Use({ mark: { left_out, exclusion_reason } }: { mark: Mark }) {
  const { t } = useTranslation('results')
  if (!left_out) return <Badge tone="good">✓ {t('explain.used')}</Badge>
  return (
    <>
      <Badge tone="warn">{t(`explain.${left_out}`)}</Badge> {exclusion_reason}
    </>
  )
}
