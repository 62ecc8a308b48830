import { useTranslation } from 'react-i18next'
import styles from './results.module.css'
import { useResultsSearch } from './use-results-search.ts'

/** Which subject; `all` is what is shown without one. */
export function SubjectChoice({ subjects, all }: { subjects: readonly { id: string; name: string }[]; all: string }) {
  const { t } = useTranslation('results')
  const { search, change } = useResultsSearch()
  const choose = (subject: string) => change(({ subject: _before, ...rest }) => (subject ? { ...rest, subject } : rest), true)
  return (
    <label className={styles['switch']}>
      <span>{t('subject')}</span>
      <select
        value={subjects.some(({ id }) => id === search.subject) ? search.subject : ''}
        onChange={({ target }) => choose(target.value)}
      >
        <option value="">{all}</option>
        {subjects.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
