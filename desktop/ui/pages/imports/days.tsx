import { type DayForm, dayReader, type WrittenDays, writtenDays } from '@markbook/shared/spreadsheet/days'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { SelectField } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Notice } from '../../components/page.tsx'
import { day } from '../../words/format.ts'
import styles from './import.module.css'

/**
 * How the days of a list are read. `form`: chosen by a person, else found in the list. `isOpen`: both leave it open, and nothing is sent
 * until a person chooses.
 */
export type DaysRead = { written: WrittenDays; form: DayForm | undefined; isOpen: boolean; read: (text: string) => string | null }

/** How to read the days of a list. A person's choice is kept while lists with the same headings (`key`) are chosen. */
export function useDays(texts: readonly string[], key: string) {
  const [said, setSaid] = useState<{ key: string; form: DayForm } | null>(null)
  const chosen = said?.key === key ? said.form : undefined
  // Memoised, since a list may have thousands of days.
  const days = useMemo((): DaysRead => {
    const written = writtenDays(texts)
    const form = chosen ?? written.order ?? undefined
    const reader = dayReader(texts, form)
    const isUnclear = (text: string) => {
      const found = reader(text)
      return !found.ok && found.code === 'day_unclear'
    }
    const isOpen = chosen === undefined && (written.numbers.length > 0 || written.yearLast.some(isUnclear))
    const read = (text: string) => {
      const found = reader(text)
      return found.ok ? found.value : null
    }
    return { written, form, isOpen, read }
  }, [texts, chosen])
  return { days, say: (form: DayForm) => setSaid({ key, form }) }
}

/** Whether the order of the first two numbers of a day matters: two days in the two orders, only one day, or the same day in both. */
function orderOf(text: string): 'matters' | 'proved' | 'same' {
  const [first, second] = text.split(/[-/.]/).map(Number)
  if (first === second) return 'same'
  return Number(first) <= 12 && Number(second) <= 12 ? 'matters' : 'proved'
}

/** The day of a list that shows best in which order it is read; undefined without days. */
const telling = (texts: readonly string[]) =>
  texts.find((text) => orderOf(text) === 'matters') ?? texts.find((text) => orderOf(text) === 'proved') ?? texts[0]
/** Shown where no day of the list differs in the two orders. */
const OTHER_DAY = '03/04/2010'

/** Shows how days are read, with an example of each form, and asks where the list leaves it open. */
export function DayForms({ days: { written, form, isOpen, read }, onSay }: { days: DaysRead; onSay: (form: DayForm) => void }) {
  const { t } = useTranslation('students')
  const { yearFirst, yearLast, numbers, order } = written
  const example = telling(yearLast)
  const examples = [example, numbers[0], yearFirst[0]].filter((text) => text !== undefined)
  if (examples.length === 0) return null
  const forms: DayForm[] = [
    ...(yearLast.length > 0 ? (['day_first', 'month_first'] as const) : []),
    ...(numbers.length > 0 ? (['numbers'] as const) : []),
  ]
  const why = numbers.length > 0 && yearLast.length === 0 ? t('days.numbersOpen', { text: numbers[0] }) : t('days.open', { text: example })
  const isSame = example !== undefined && orderOf(example) === 'same'
  const isEither = isSame && form === undefined && !isOpen
  const other = isSame && form !== undefined ? read(OTHER_DAY) : null
  return (
    <fieldset className={`${layout['list']} ${styles['columns']}`}>
      <legend>{t('days.title')}</legend>
      {forms.length > 0 && (
        <div className={styles['days']}>
          <SelectField
            label={t('days.form')}
            value={isOpen ? '' : (form ?? '')}
            data-open={isOpen || undefined}
            hint={isEither ? t('days.eitherHint') : order && form === order ? t('days.shown') : undefined}
            onChange={({ target }) => onSay(target.value as DayForm)}
          >
            {isOpen && <option value="">{t('days.choose')}</option>}
            {isEither && <option value="">{t('days.either')}</option>}
            {forms.map((each) => (
              <option key={each} value={each}>
                {t(`days.${each}`)}
              </option>
            ))}
          </SelectField>
        </div>
      )}
      {isOpen ? (
        <Notice tone="warn">{why}</Notice>
      ) : (
        <div role="status">
          <ul className={layout['bullets']}>
            {examples.map((text) => {
              const value = read(text)
              return <li key={text}>{value ? t('days.read', { text, day: day(value) }) : t('days.unread', { text })}</li>
            })}
            {other && <li>{t('days.would', { text: OTHER_DAY, day: day(other) })}</li>}
          </ul>
        </div>
      )}
    </fieldset>
  )
}
