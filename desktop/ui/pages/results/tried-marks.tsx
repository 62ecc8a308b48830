import type { Explanation } from '@markbook/shared/contract/calculations'
import { codeNamed, type MarkCode } from '@markbook/shared/domain/mark-codes'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Badge, Empty } from '../../components/page.tsx'
import { editable, number, percent } from '../../words/format.ts'
import { HistoryEntries } from '../history/history-panel.tsx'
import { cellValueOf } from '../marks/model/cell-value.ts'
import { parseMark } from '../marks/model/parse-mark.ts'
import { valueText } from '../marks/model/value-text.ts'
import styles from './working.module.css'

type Mark = Explanation['marks'][number]
/** The text to try instead of a mark, and whether it is excluded; an undefined value is unchanged. */
export type TriedText = { text?: string; isExcluded?: boolean }

type Props = {
  /** `marks`: with the tried values; `present`: as they are. */
  marks: readonly Mark[]
  present: readonly Mark[]
  texts: ReadonlyMap<string, TriedText>
  codes: readonly MarkCode[]
  opened: string | undefined
  onChange: (assessmentId: string, text: TriedText) => void
}

/** Every mark with its use, a field to try another one, and its history. */
export function TriedMarks({ marks, present, texts, codes, opened, onChange }: Props) {
  const { t } = useTranslation('results')
  if (marks.length === 0) return <Empty>{t('explain.noAssessments')}</Empty>
  return (
    <ul className={layout['ruled']}>
      {marks.map((mark, at) => (
        <li key={mark.assessment_id}>
          <OneMark
            mark={mark}
            present={present[at] ?? mark}
            typed={texts.get(mark.assessment_id)}
            codes={codes}
            isOpened={opened === mark.assessment_id}
            onChange={(text) => onChange(mark.assessment_id, text)}
          />
        </li>
      ))}
    </ul>
  )
}

type OneProps = {
  mark: Mark
  present: Mark
  typed: TriedText | undefined
  codes: readonly MarkCode[]
  isOpened: boolean
  onChange: (text: TriedText) => void
}

function OneMark({ mark, present, typed, codes, isOpened, onChange }: OneProps) {
  const { t } = useTranslation(['results', 'marks'])
  const [isOpen, setOpen] = useState(isOpened)
  const id = useId()
  const { title, assessment_type, max_score: max, weight, percentage, left_out, exclusion_reason } = mark
  const stored = cellValueOf(present)
  const text = typed?.text ?? valueText(stored)
  const parsed = parseMark(text, max, codes, stored)
  const error = parsed.kind === 'wrong' ? t(`marks:wrong.${parsed.reason}`, { max: editable(max) }) : null
  // A code stands in place of a mark.
  const codeName = left_out === 'no_mark' && mark.status ? (codeNamed(codes, mark.status)?.name ?? mark.status) : null
  const isAssessmentOut = left_out === 'excluded_assessment'
  const facts = [t(`explain.${assessment_type}`), t('marks:weight', { weight: number(weight) })]
  return (
    <div className={styles['mark']}>
      <div className={styles['title']}>
        <strong>{title}</strong>
        <div className={layout['note']}>{[...facts, ...(percentage ? [percent(percentage.decimal)] : [])].join(' · ')}</div>
      </div>
      <div className={styles['try']}>
        <input
          aria-label={t('tried.mark', { title, max: editable(max) })}
          value={text}
          inputMode="decimal"
          autoComplete="off"
          maxLength={40}
          disabled={isAssessmentOut}
          data-tried={valueText(stored) !== text}
          aria-invalid={error !== null}
          aria-describedby={error ? `${id}-error` : undefined}
          onChange={({ target }) => onChange({ text: target.value })}
        />
        <span className={`${layout['note']} ${styles['max']}`}>/ {number(max)}</span>
      </div>
      {error && (
        <span id={`${id}-error`} role="alert" className={`${styles['wide']} ${styles['wrong']}`}>
          {error}
        </span>
      )}
      <div className={`${styles['wide']} ${layout['row']}`}>
        {left_out && <Badge tone="warn">{codeName ?? t(`explain.${left_out}`)}</Badge>}
        {left_out && exclusion_reason && <span className={layout['note']}>{exclusion_reason}</span>}
        {!isAssessmentOut && mark.score !== null && (
          <Checkbox
            label={t('tried.counts')}
            aria-label={t('tried.countsOf', { title })}
            checked={mark.is_excluded !== true}
            onChange={({ target }) => onChange({ isExcluded: !target.checked })}
          />
        )}
        {present.grade_id !== undefined && (
          <Button
            look="quiet"
            size="small"
            aria-expanded={isOpen}
            aria-label={t('tried.historyOf', { title })}
            onClick={() => setOpen(!isOpen)}
          >
            {t('marks:history')}
          </Button>
        )}
      </div>
      {isOpen && present.grade_id !== undefined && (
        <div className={styles['wide']}>
          <HistoryEntries entity="grade" id={present.grade_id} />
        </div>
      )}
    </div>
  )
}
