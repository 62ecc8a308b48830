import { useTranslation } from 'react-i18next'
import { InlineSelect, Options } from '../../components/field.tsx'
import styles from './results.module.css'
import { useResultsSearch } from './results-search.ts'

/** A choice of subject; `all` names the choice of none. */
export function SubjectChoice({ subjects, all }: { subjects: readonly { id: string; name: string }[]; all: string }) {
  const { t } = useTranslation('results')
  const { search, change } = useResultsSearch()
  const choose = (subject: string) => change(({ subject: _before, ...rest }) => (subject ? { ...rest, subject } : rest), true)
  return (
    <InlineSelect
      label={t('subject')}
      className={styles['switch']}
      value={subjects.some(({ id }) => id === search.subject) ? search.subject : ''}
      onChange={({ target }) => choose(target.value)}
    >
      <option value="">{all}</option>
      <Options of={subjects} />
    </InlineSelect>
  )
}
