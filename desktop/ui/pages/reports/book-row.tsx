import type { Report } from '@markbook/shared/contract/reports'
import { limits } from '@markbook/shared/limits'
import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { editable, typedNumber } from '../../words/format.ts'
import { type ListedBook, updateCachedBook } from './book-queries.ts'
import { bankOf, type RemarkBank } from './completions.ts'
import { isAttendance } from './field-values.ts'
import { RemarkBox, useRevertOnEscape } from './remark-box.tsx'
import styles from './reports.module.css'
import { SaveStatus } from './save-status.tsx'
import { useAutosave } from './use-autosave.ts'

type Field = 'remark' | 'conduct' | 'attendance'
type WritableBook = Pick<Report, 'id' | 'status' | 'class_teacher_remark' | 'conduct' | 'attendance_percentage'>

const bodyOf = ({ remark, conduct, attendance }: Partial<Record<Field, string>>) => ({
  ...(remark !== undefined && { classTeacherRemark: remark || null }),
  ...(conduct !== undefined && { conduct: conduct || null }),
  ...(attendance !== undefined && { attendancePercentage: typedNumber(attendance) }),
})

type RemarkBanks = { remark: RemarkBank; conduct: RemarkBank }

/** The remarks of these books, to suggest again. */
export function banksOf(books: readonly ListedBook[]): RemarkBanks {
  const bank = (textOf: (book: ListedBook) => string | null) =>
    bankOf(books.map((book) => ({ text: textOf(book) ?? '', firstName: book.student.first_name })))
  return { remark: bank((book) => book.class_teacher_remark), conduct: bank((book) => book.conduct) }
}

type Props = { book: WritableBook; head: ReactNode; name: string; firstName: string; banks: RemarkBanks }

/** The class teacher's texts in one book. They are saved without a button. */
export function BookRow({ book, head, name, firstName, banks }: Props) {
  const { t } = useTranslation('reports')
  const queries = useQueryClient()
  const stored = {
    remark: book.class_teacher_remark ?? '',
    conduct: book.conduct ?? '',
    attendance: book.attendance_percentage === null ? '' : editable(book.attendance_percentage),
  }
  const save = async (changed: Partial<Record<Field, string>>) =>
    updateCachedBook(queries, await client.reports.update({ params: { id: book.id }, body: bodyOf(changed) }))
  const isWrong = (field: Field, value: string) => field === 'attendance' && !isAttendance(value)
  const { snapshot, field, retry } = useAutosave<Field>(stored, { name, save, isWrong })
  const isLocked = book.status === 'sent_to_ministry'
  const attendance = field('attendance')
  const revert = useRevertOnEscape(attendance.value, attendance.onChange)
  return (
    <li className={styles['row']} data-book={book.id}>
      <div className={styles['who']}>{head}</div>
      <div className={styles['field']} data-label={t('fill.remark')}>
        <RemarkBox
          label={t('fill.remarkOf', { name })}
          field="remark"
          bank={banks.remark}
          maxLength={limits.text.remark}
          isLocked={isLocked}
          firstName={firstName}
          {...field('remark')}
        />
      </div>
      <div className={styles['field']} data-label={t('fill.conduct')}>
        <RemarkBox
          isOneLine
          label={t('fill.conductOf', { name })}
          field="conduct"
          bank={banks.conduct}
          maxLength={limits.text.conduct}
          isLocked={isLocked}
          firstName={firstName}
          {...field('conduct')}
        />
      </div>
      <div className={styles['field']} data-label={t('fill.attendance')}>
        <input
          aria-label={t('fill.attendanceOf', { name })}
          data-field="attendance"
          className={styles['text']}
          inputMode="decimal"
          autoComplete="off"
          value={attendance.value}
          readOnly={isLocked}
          aria-invalid={!isAttendance(attendance.value) || undefined}
          onChange={({ target }) => attendance.onChange(target.value)}
          onKeyDown={(event) => !isLocked && revert.press(event) && event.preventDefault()}
          onFocus={() => {
            revert.enter()
            attendance.onEnter()
          }}
          onBlur={attendance.onLeave}
        />
      </div>
      <SaveStatus {...snapshot} isLocked={isLocked} wrong={t('fill.wrongAttendance')} onRetry={retry} />
    </li>
  )
}
