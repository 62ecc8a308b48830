import type { ReportEntry } from '@markbook/shared/contract/reports'
import type { GradingScale } from '@markbook/shared/domain/letters'
import { Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { refresh } from '../../api/queries.ts'
import type { Bank } from './completions.ts'
import { keepEntry } from './kept-books.ts'
import { lettersFor } from './letters.ts'
import { RemarkBox } from './remark-box.tsx'
import styles from './reports.module.css'
import { SaveMark } from './save-mark.tsx'
import { useAutosave } from './use-autosave.ts'

type Field = 'letter' | 'remark'
type Written = Pick<ReportEntry, 'id' | 'report_book_id' | 'letter_grade' | 'teacher_remark'>

type Props = {
  entry: Written
  /** The printed figure that the letter is of. */
  result: number | null
  isLocked: boolean
  head: ReactNode
  name: string
  firstName: string
  bank: Bank
  scale: GradingScale
}

/** Letter and remark of one subject in one book; they save themselves. No letter of one's own: the calculated one counts. */
export function EntryRow({ entry, result, isLocked, head, name, firstName, bank, scale }: Props) {
  const { t } = useTranslation('reports')
  const queries = useQueryClient()
  const { calculated, letters } = lettersFor(scale, result, entry.letter_grade)
  const stored = { letter: entry.letter_grade === calculated ? '' : (entry.letter_grade ?? ''), remark: entry.teacher_remark ?? '' }
  const save = async ({ letter, remark }: Partial<Record<Field, string>>) => {
    const body = {
      ...(letter !== undefined && { letterGrade: letter || null }),
      ...(remark !== undefined && { teacherRemark: remark || null }),
    }
    try {
      keepEntry(queries, await client.reports.updateEntry({ params: { entryId: entry.id }, body }))
    } catch (failure) {
      if (failure instanceof Failure && failure.status === 409) void refresh(queries, ['reports'])
      throw failure
    }
  }
  const { row, seen } = useAutosave<Field>(stored, { name, save })
  const leave = () => {
    row.hold(null)
    void row.flush()
  }
  return (
    <li className={`${styles['row']} ${styles['line']}`} data-book={entry.report_book_id}>
      <div className={styles['who']}>{head}</div>
      <div className={styles['field']} data-label={t('fill.letter')}>
        <select
          aria-label={t('fill.letterOf', { name })}
          data-field="letter"
          className={styles['text']}
          value={seen.values.letter}
          disabled={isLocked}
          onChange={({ target }) => row.edit('letter', target.value)}
          onFocus={() => row.hold('letter')}
          onBlur={leave}
        >
          <option value="">{t('fill.calculated', { letter: calculated ?? '–' })}</option>
          {letters
            .filter((letter) => letter !== calculated)
            .map((letter) => (
              <option key={letter} value={letter}>
                {letter}
              </option>
            ))}
        </select>
      </div>
      <div className={styles['field']} data-label={t('fill.remark')}>
        <RemarkBox
          label={t('fill.remarkOf', { name })}
          field="remark"
          value={seen.values.remark}
          firstName={firstName}
          bank={bank}
          maxLength={limits.text.remark}
          isLocked={isLocked}
          onChange={(value) => row.edit('remark', value)}
          onEnter={() => row.hold('remark')}
          onLeave={leave}
        />
      </div>
      <SaveMark {...seen} isLocked={isLocked} wrong="" onRetry={() => void row.flush()} />
    </li>
  )
}
