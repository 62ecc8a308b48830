import { useTranslation } from 'react-i18next'
import { SelectField } from '../../../components/field.tsx'
import { Notice } from '../../../components/page.tsx'
import { type Column, columns } from './headings.ts'
import styles from './import.module.css'
import { examplesOf, faultsOf, headOf, type Mapping } from './mapping.ts'
import type { ReadTable } from './table.ts'

type Props = { table: ReadTable; mapping: Mapping; onName: (at: number, column: Column | null) => void }

/** The columns of a list, each with what it is: filled in where its heading says so, to be chosen where it does not. */
export function ColumnChoice({ table, mapping, onName }: Props) {
  const { t } = useTranslation('students')
  const { twice, isNobody } = faultsOf(mapping)
  const shown = headOf(table)
    .map((heading, at) => ({ at, heading, column: mapping[at] ?? null, examples: examplesOf(table, at, mapping[at] ?? null) }))
    .filter(({ heading, examples }) => heading !== '' || examples.length > 0)
  const open = shown.filter(({ column }) => column === null).length
  return (
    <fieldset className={styles['columns']}>
      <legend>{t('columns.title')}</legend>
      <p role="status">{open === 0 ? t('columns.all') : t('columns.open', { count: open })}</p>
      <div className={styles['grid']}>
        {shown.map(({ at, heading, column, examples }) => (
          <SelectField
            key={at}
            label={heading || t('columns.blank', { at: at + 1 })}
            hint={examples.length > 0 ? t('columns.such', { examples: examples.join(', ') }) : undefined}
            error={column && twice.includes(column) ? t('columns.twice') : undefined}
            value={column ?? ''}
            data-open={column === null || undefined}
            onChange={({ target }) => onName(at, columns.find((one) => one === target.value) ?? null)}
          >
            <option value="">{t('columns.unused')}</option>
            {columns.map((one) => (
              <option key={one} value={one}>
                {t(`columns.${one}`)}
              </option>
            ))}
          </SelectField>
        ))}
      </div>
      {isNobody && <Notice tone="warn">{t('columns.nobody')}</Notice>}
      {!isNobody && !mapping.includes('gender') && <Notice tone="warn">{t('columns.noGender')}</Notice>}
    </fieldset>
  )
}
