import type { Report } from '@markbook/shared/contract/reports'
import { Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { refresh } from '../../api/queries.ts'
import { editable, typedNumber } from '../../words/format.ts'
import { isAttendance } from './attendance.ts'
import type { Bank } from './completions.ts'
import { keepBook } from './kept-books.ts'
import { RemarkBox } from './remark-box.tsx'
import styles from './reports.module.css'
import { SaveMark } from './save-mark.tsx'
import { useAutosave } from './use-autosave.ts'
import { useTakenBack } from './use-taken-back.ts'

type Field = 'remark' | 'conduct' | 'attendance'
type Written = Pick<Report, 'id' | 'status' | 'class_teacher_remark' | 'conduct' | 'attendance_percentage'>

const bodyOf = ({ remark, conduct, attendance }: Partial<Record<Field, string>>) => ({
  ...(remark !== undefined && { classTeacherRemark: remark || null }),
  ...(conduct !== undefined && { conduct: conduct || null }),
  ...(attendance !== undefined && { attendancePercentage: typedNumber(attendance) }),
})

export type Banks = { remark: Bank; conduct: Bank }
type Props = { book: Written; head: ReactNode; name: string; firstName: string; banks: Banks }

/** What a class teacher writes into one book; it saves itself. */
export function BookRow({ book, head, name, firstName, banks }: Props) {
  const { t } = useTranslation('reports')
  const queries = useQueryClient()
  const stored = {
    remark: book.class_teacher_remark ?? '',
    conduct: book.conduct ?? '',
    attendance: book.attendance_percentage === null ? '' : editable(book.attendance_percentage),
  }
  const save = async (changed: Partial<Record<Field, string>>) => {
    try {
      keepBook(queries, await client.reports.update({ params: { id: book.id }, body: bodyOf(changed) }))
    } catch (failure) {
      if (failure instanceof Failure && failure.status === 409) void refresh(queries, ['reports'])
      throw failure
    }
  }
  const isWrong = (field: Field, value: string) => field === 'attendance' && !isAttendance(value)
  const { row, seen } = useAutosave<Field>(stored, { name, save, isWrong })
  const isLocked = book.status === 'sent_to_ministry'
  const field = (key: Field) => ({
    value: seen.values[key],
    isLocked,
    firstName,
    onChange: (value: string) => row.edit(key, value),
    onEnter: () => row.hold(key),
    onLeave: () => {
      row.hold(null)
      void row.flush()
    },
  })
  const attendance = field('attendance')
  const back = useTakenBack(attendance.value, attendance.onChange)
  return (
    <li className={styles['row']} data-book={book.id}>
      <div className={styles['who']}>{head}</div>
      <div className={styles['field']} data-label={t('fill.remark')}>
        <RemarkBox
          label={t('fill.remarkOf', { name })}
          field="remark"
          bank={banks.remark}
          maxLength={limits.text.remark}
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
          onKeyDown={(event) => !isLocked && back.press(event) && event.preventDefault()}
          onFocus={() => {
            back.enter()
            attendance.onEnter()
          }}
          onBlur={attendance.onLeave}
        />
      </div>
      <SaveMark {...seen} isLocked={isLocked} wrong={t('fill.wrongAttendance')} onRetry={() => void row.flush()} />
    </li>
  )
}
