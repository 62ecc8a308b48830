import { useTranslation } from 'react-i18next'
import { Checkbox, TextField } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Notice } from '../../components/page.tsx'
import { enumerated } from '../../words/format.ts'
import { termLabel } from '../../words/term-label.ts'
import { type EditedTerm, faultOf, namesOf, type Structure, type TermEdit } from './next-terms.ts'
import { overlapping } from './term-days.ts'
import styles from './years.module.css'

/** Returns a function for the names of the terms of a structure, in the language of the page; known names are unchanged. */
export function useStructureNames(): (structure: Structure) => string[] {
  const { t } = useTranslation('years')
  return (structure) => namesOf(structure, (set, number) => t(`sets.${set}`, { number }))
}

/** Returns a function for the message about a day of a term; undefined where the fault is another day's. */
export function useDayFault(): (fault: ReturnType<typeof faultOf>, field: 'startDate' | 'endDate') => string | undefined {
  const { t } = useTranslation(['years', 'app'])
  const words = { outside: t('newTerms.outside'), order: t('app:fault.afterFirstDay'), required: t('app:field.required') }
  return (fault, field) => (fault?.field === field ? words[fault.word] : undefined)
}

type Props = {
  terms: readonly EditedTerm[]
  year: { start_date: string; end_date: string }
  hint: string
  onChange: (key: string, edit: TermEdit) => void
}

/** The terms that are added together with a year or its classes; each can be left out, and its days changed. */
export function TermRows({ terms, year, hint, onChange }: Props) {
  const { t } = useTranslation(['years', 'app'])
  // A term with a wrong day has a message of its own, and does not count for overlaps.
  const taken = terms.filter((term) => !term.isLeftOut && faultOf(term, year) === null)
  const dated = taken.map(({ key, name, startDate, endDate }) => ({ id: key, name, start_date: startDate, end_date: endDate }))
  const isOver = (term: EditedTerm) => overlapping(term, dated, term.key).length > 0
  const over = taken.filter(isOver).map(({ name }) => termLabel(name))
  return (
    <fieldset className={styles['terms']}>
      <legend>{t('terms')}</legend>
      <p className={layout['note']}>{hint}</p>
      <div className={`${styles['term']} ${layout['note']}`} aria-hidden="true">
        <span />
        <span>{t('start')}</span>
        <span>{t('end')}</span>
      </div>
      {terms.map((term) => (
        <TermRow key={term.key} {...{ term, year }} onChange={(edit) => onChange(term.key, edit)} />
      ))}
      {over.length > 0 && <Notice tone="warn">{t('newTerms.overlap', { names: enumerated(over) })}</Notice>}
    </fieldset>
  )
}

type RowProps = { term: EditedTerm; year: Props['year']; onChange: (edit: TermEdit) => void }

function TermRow({ term, year, onChange }: RowProps) {
  const { t } = useTranslation('years')
  const name = termLabel(term.name)
  // While the days of the year are wrong, only its own fields show that.
  const fault = term.isLeftOut || year.start_date >= year.end_date ? null : faultOf(term, year)
  const faultIn = useDayFault()
  const dayField = (field: 'startDate' | 'endDate') => (
    <TextField
      hideLabel
      label={t(`newTerms.${field}`, { term: name })}
      type="date"
      min={year.start_date}
      max={year.end_date}
      value={term[field]}
      disabled={term.isLeftOut}
      error={faultIn(fault, field)}
      onChange={({ target }) => onChange({ [field]: target.value })}
    />
  )
  return (
    <div className={styles['term']}>
      <Checkbox label={name} checked={!term.isLeftOut} onChange={({ target }) => onChange({ isLeftOut: !target.checked })} />
      {dayField('startDate')}
      {dayField('endDate')}
    </div>
  )
}
