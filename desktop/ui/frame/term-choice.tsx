import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../api/queries.ts'
import { chooseTerm, useChosenTerm } from './chosen-term.ts'
import styles from './frame.module.css'

/** Year and term of all pages, above them all. */
export function TermChoice() {
  const { t } = useTranslation('app')
  const { years, terms, year, term, isLoading } = useChosenTerm()
  const queries = useQueryClient()
  const chooseYear = async (yearId: string) => {
    const [first] = await queries.fetchQuery(ask('terms', 'list', { query: { yearId } }))
    if (first) chooseTerm(first.id)
  }
  if (isLoading || !year) return null
  return (
    <div className={styles['term']}>
      <select aria-label={t('term.year')} value={year.id} onChange={({ target }) => void chooseYear(target.value)}>
        {years.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <select aria-label={t('term.label')} value={term?.id ?? ''} onChange={({ target }) => chooseTerm(target.value)}>
        {terms.length === 0 && <option value="">{t('term.none')}</option>}
        {terms.map(({ id, name }) => (
          <option key={id} value={id}>
            {t(`term.${name}`)}
          </option>
        ))}
      </select>
    </div>
  )
}
