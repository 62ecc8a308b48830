import type { Report, ReportEntry } from '@markbook/shared/contract/reports'
import type { GradingScale } from '@markbook/shared/domain/letters'
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/button.tsx'
import { Options } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Badge } from '../../components/page.tsx'
import { sentenceOf } from '../../words/failure.ts'
import { editable, figure } from '../../words/format.ts'
import { FigureSign } from '../results/partial-figures.tsx'
import type { Autosave, AutosaveSnapshot, OpenText, SaveState } from './autosave.ts'
import { type BookScope, type ListedBook, scopeOf } from './book-queries.ts'
import type { WrittenRemark } from './completions.ts'
import { isAttendance, lettersFor } from './field-values.ts'
import { goOn } from './go-on.ts'
import { type BookField, type EntryField, type TextField, type TextGroup, typedOf } from './pending-text.ts'
import { RemarkBox } from './remark-box.tsx'
import styles from './reports.module.css'
import { useAutosave } from './use-autosave.tsx'

const stepOf = ({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): 1 | -1 | null => {
  if (shiftKey || altKey) return null
  if (key === 'Enter' || (key === 'ArrowDown' && (ctrlKey || metaKey))) return 1
  return key === 'ArrowUp' && (ctrlKey || metaKey) ? -1 : null
}

type Props = { kind: 'book' | 'entry'; label: string; at?: string | undefined; head?: string; children: ReactNode }

/**
 * Rows to fill in for a class. Enter or Ctrl+Down goes to the same field of the next row, and after the last row to the next field; Ctrl+Up
 * goes back. `at`: the report book to begin with. `head`: the head of the first column, by default the pupil.
 */
export function FillRows({ kind, label, at, head, children }: Props) {
  const { t } = useTranslation('reports')
  const heads = kind === 'book' ? [t('fill.remark'), t('fill.conduct'), t('fill.attendance'), ''] : [t('fill.letter'), t('fill.remark')]
  const rows = useRef<HTMLOListElement>(null)
  useEffect(() => {
    if (!at) return
    const row = [...(rows.current?.children ?? [])].find((one) => (one as HTMLElement).dataset['book'] === at)
    row?.querySelector<HTMLElement>('textarea:not([readonly])')?.focus()
    row?.scrollIntoView({ block: 'center' })
  }, [at])
  const press = (event: KeyboardEvent) => {
    const field = event.target as HTMLElement
    const step = stepOf(event)
    if (!step || !field.dataset['field']) return
    event.preventDefault()
    goOn(field, step)
  }
  return (
    <div className={layout['box']}>
      <div className={`${styles['row']} ${styles['heads']} ${kind === 'entry' ? styles['line'] : ''}`} aria-hidden="true">
        {[head ?? t('pupil'), ...heads].map((text) => (
          <span key={text || 'state'}>{text}</span>
        ))}
      </div>
      <ol ref={rows} aria-label={label} className={styles['rows']} onKeyDown={press}>
        {children}
      </ol>
    </div>
  )
}

type WritableBook = Report & {
  /** The attendance of the registers, which is printed where nothing is typed. */
  attendance?: { percentage: number | null } | null
}

type WrittenRemarks = readonly WrittenRemark[]
type WrittenTexts = { remark: WrittenRemarks; conduct: WrittenRemarks }

/** The remarks of these report books, for suggestions. */
export function writtenIn(books: readonly ListedBook[]): WrittenTexts {
  const written = (textOf: (book: ListedBook) => string | null) =>
    books.map((book) => ({ text: textOf(book) ?? '', firstName: book.student.first_name, rowId: book.id }))
  return { remark: written((book) => book.class_teacher_remark), conduct: written((book) => book.conduct) }
}

type BookRowProps = {
  book: WritableBook
  head: ReactNode
  /** Between the pupil and the fields. */
  notice?: ReactNode
  name: string
  firstName: string
  written: WrittenTexts
}

/** The class teacher's texts in one report book, which are saved without a button. */
export function BookRow({ book, head, notice, name, firstName, written }: BookRowProps) {
  const { t } = useTranslation('reports')
  const stored = {
    remark: book.class_teacher_remark ?? '',
    conduct: book.conduct ?? '',
    attendance: book.attendance_percentage === null ? '' : editable(book.attendance_percentage),
  }
  const isWrong = (field: BookField, value: string) => field === 'attendance' && !isAttendance(value)
  const group: TextGroup = { subjectId: null, ...scopeOf(book) }
  const row = { bookId: book.id, rowId: book.id }
  const place = { readsBooks: true, yearId: book.academic_year_id }
  const { snapshot, field, decide } = useAutosave<BookField>(stored, { name, group, place, row, isWrong })
  const isLocked = book.status === 'sent_to_ministry'
  const own = { name, firstName, rowId: book.id, isLocked }
  const attendance = field('attendance')
  const proposed = book.attendance?.percentage ?? null
  return (
    <li className={styles['row']} data-book={book.id}>
      <div className={styles['who']}>{head}</div>
      {notice}
      <RemarkBox kind="remark" {...own} written={written.remark} {...field('remark')} />
      <RemarkBox kind="conduct" {...own} written={written.conduct} {...field('conduct')} />
      <div className={styles['field']} data-label={t('fill.attendance')}>
        <input
          aria-label={t('fill.attendanceOf', { name })}
          data-field="attendance"
          className={styles['text']}
          inputMode="decimal"
          autoComplete="off"
          value={attendance.value}
          placeholder={proposed === null ? undefined : editable(proposed)}
          title={proposed === null ? undefined : t('fill.fromRegisters', { percentage: editable(proposed) })}
          readOnly={isLocked}
          aria-invalid={!isAttendance(attendance.value) || undefined}
          onChange={({ target }) => attendance.onChange(target.value)}
          onKeyDown={(event) => event.key === 'Escape' && !isLocked && attendance.onEscape() && event.preventDefault()}
          onFocus={attendance.onEnter}
          onBlur={attendance.onLeave}
        />
      </div>
      <SaveStatus state={snapshot.state} isLocked={isLocked} />
      <OpenTexts {...snapshot} isLocked={isLocked} onDecide={decide} />
    </li>
  )
}

type WritableEntry = Pick<
  ReportEntry,
  'id' | 'subject_id' | 'report_book_id' | 'letter_grade' | 'teacher_remark' | 'coursework_average' | 'exam_average'
>

type EntryRowProps = {
  entry: WritableEntry
  of: BookScope
  yearId: string
  /** False for people who may only read the entries of their subjects. */
  readsBooks: boolean
  /** The result from which the letter is calculated. */
  result: number | null
  /** The result has only coursework or only an exam. */
  isPartial: boolean
  isLocked: boolean
  /** The visible name of the row; `name` is for screen readers. */
  title: string
  /** Between the pupil and the fields. */
  notice?: ReactNode
  name: string
  firstName: string
  written: WrittenRemarks
  scale: GradingScale
}

/**
 * The letter and the remark of one subject in one report book, saved without a button. Without a chosen letter the calculated one counts.
 */
export function EntryRow({
  entry,
  of,
  yearId,
  readsBooks,
  result,
  isPartial,
  isLocked,
  title,
  notice,
  name,
  firstName,
  written,
  scale,
}: EntryRowProps) {
  const { t } = useTranslation('reports')
  const { calculated, letters } = lettersFor(scale, result, entry.letter_grade)
  const stored = { letter: entry.letter_grade === calculated ? '' : (entry.letter_grade ?? ''), remark: entry.teacher_remark ?? '' }
  const group: TextGroup = { subjectId: entry.subject_id, ...of }
  const row = { bookId: entry.report_book_id, rowId: entry.id }
  const { snapshot, field, decide } = useAutosave<EntryField>(stored, { name, group, place: { readsBooks, yearId }, row })
  const letter = field('letter')
  return (
    <li className={`${styles['row']} ${styles['line']}`} data-book={entry.report_book_id}>
      <div className={styles['who']}>
        <span>{title}</span>
        <span className={`${layout['note']} ${styles['figures']}`}>
          {of.type === 'year_end'
            ? t('fill.yearFigures', { result: figure(result) })
            : t('fill.figures', {
                coursework: figure(entry.coursework_average),
                exam: figure(entry.exam_average),
                result: figure(result),
              })}
          {isPartial && <FigureSign of="partial" />}
        </span>
      </div>
      {notice}
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
      <RemarkBox
        kind="remark"
        name={name}
        firstName={firstName}
        written={written}
        rowId={entry.id}
        isLocked={isLocked}
        {...field('remark')}
      />
      <SaveStatus state={snapshot.state} isLocked={isLocked} />
      <OpenTexts {...snapshot} isLocked={isLocked} onDecide={decide} />
    </li>
  )
}

/** Whether a row is saved, and why not. Only an attendance can be invalid. */
function SaveStatus({ state, isLocked }: { state: SaveState; isLocked: boolean }) {
  const { t } = useTranslation(['reports', 'app'])
  if (isLocked)
    return (
      <div className={styles['lock']}>
        <Badge>{t('status.sent_to_ministry')}</Badge>
      </div>
    )
  const said: Record<SaveState, string> = {
    same: '',
    saving: t('app:state.saving'),
    waiting: t('fill.waiting'),
    saved: `✓ ${t('app:state.saved')}`,
    wrong: t('fill.wrongAttendance'),
    asked: t('fill.asked'),
    failed: t('fill.failed'),
  }
  return (
    <span role="status" className={styles['mark']} data-state={state}>
      {said[state]}
    </span>
  )
}

type OpenTextsProps<F extends TextField> = Pick<AutosaveSnapshot<F>, 'open'> & { isLocked: boolean; onDecide: Autosave<F>['decide'] }

/** The texts of a row that were refused, or that somebody else has changed, with buttons to decide. */
function OpenTexts<F extends TextField>({ open, isLocked, onDecide }: OpenTextsProps<F>) {
  return open.map((text) => (
    <div key={text.field} role="alert" className={styles['open']}>
      <OpenTextLine text={text} isLocked={isLocked} onDecide={onDecide} />
    </div>
  ))
}

type OpenTextProps<F extends TextField> = { text: OpenText<F>; isLocked: boolean; onDecide: Autosave<F>['decide'] }

function OpenTextLine<F extends TextField>({ text, isLocked, onDecide }: OpenTextProps<F>) {
  const { t } = useTranslation(['reports', 'app'])
  const { pending } = text
  const what = t(`fill.${text.field as TextField}`)
  if (pending.state === 'refused')
    return (
      <>
        <span>
          {t('app:label', { label: what })} {sentenceOf(pending)} {isLocked && t('fill.notTaken')}
        </span>
        {!isLocked && (
          <Button size="small" onClick={() => onDecide(text, 'compare')}>
            {t('app:action.retry')}
          </Button>
        )}
        <Button size="small" onClick={() => onDecide(text, 'theirs')}>
          {t('fill.drop')}
        </Button>
      </>
    )
  const theirs = typedOf(pending.theirs)
  return (
    <>
      <span>{theirs ? t('fill.theirs', { what, text: theirs }) : t('fill.theirsNone', { what })}</span>
      <Button size="small" onClick={() => onDecide(text, 'theirs')}>
        {t('fill.keepTheirs')}
      </Button>
      <Button size="small" onClick={() => onDecide(text, 'mine')}>
        {t('fill.keepMine')}
      </Button>
    </>
  )
}
