import type { ReportEntry } from '@markbook/shared/contract/reports'
import type { GradingScale } from '@markbook/shared/domain/letters'
import { limits } from '@markbook/shared/limits'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { Options } from '../../components/field.tsx'
import { figure } from '../../words/format.ts'
import { updateCachedEntry } from './book-queries.ts'
import type { RemarkBank } from './completions.ts'
import { lettersFor } from './field-values.ts'
import { RemarkBox } from './remark-box.tsx'
import styles from './reports.module.css'
import { SaveStatus } from './save-status.tsx'
import { useAutosave } from './use-autosave.ts'

type Field = 'letter' | 'remark'
type WritableEntry = Pick<ReportEntry, 'id' | 'report_book_id' | 'letter_grade' | 'teacher_remark' | 'coursework_average' | 'exam_average'>

type Props = {
  entry: WritableEntry
  /** The result that the letter is calculated from. */
  result: number | null
  isLocked: boolean
  /** The visible name of the row; `name` is the one for screen readers. */
  title: string
  name: string
  firstName: string
  bank: RemarkBank
  scale: GradingScale
}

/** Letter and remark of one subject in one book, saved without a button. Without a chosen letter the calculated one counts. */
export function EntryRow({ entry, result, isLocked, title, name, firstName, bank, scale }: Props) {
  const { t } = useTranslation('reports')
  const queries = useQueryClient()
  const { calculated, letters } = lettersFor(scale, result, entry.letter_grade)
  const stored = { letter: entry.letter_grade === calculated ? '' : (entry.letter_grade ?? ''), remark: entry.teacher_remark ?? '' }
  const save = async ({ letter, remark }: Partial<Record<Field, string>>) => {
    const body = {
      ...(letter !== undefined && { letterGrade: letter || null }),
      ...(remark !== undefined && { teacherRemark: remark || null }),
    }
    updateCachedEntry(queries, await client.reports.updateEntry({ params: { entryId: entry.id }, body }))
  }
  const { snapshot, field, retry } = useAutosave<Field>(stored, { name, save })
  const letter = field('letter')
  return (
    <li className={`${styles['row']} ${styles['line']}`} data-book={entry.report_book_id}>
      <div className={styles['who']}>
        <span>{title}</span>
        <span className={styles['figures']}>
          {t('fill.figures', { coursework: figure(entry.coursework_average), exam: figure(entry.exam_average), result: figure(result) })}
        </span>
      </div>
      <div className={styles['field']} data-label={t('fill.letter')}>
        <select
          aria-label={t('fill.letterOf', { name })}
          data-field="letter"
          className={styles['text']}
          value={letter.value}
          disabled={isLocked}
          onChange={({ target }) => letter.onChange(target.value)}
          onFocus={letter.onEnter}
          onBlur={letter.onLeave}
        >
          <option value="">{t('fill.calculated', { letter: calculated ?? '–' })}</option>
          <Options of={letters.filter((one) => one !== calculated).map((one) => ({ id: one, name: one }))} />
        </select>
      </div>
      <div className={styles['field']} data-label={t('fill.remark')}>
        <RemarkBox
          label={t('fill.remarkOf', { name })}
          field="remark"
          firstName={firstName}
          bank={bank}
          maxLength={limits.text.remark}
          isLocked={isLocked}
          {...field('remark')}
        />
      </div>
      <SaveStatus {...snapshot} isLocked={isLocked} wrong="" onRetry={retry} />
    </li>
  )
}
