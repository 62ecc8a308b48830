import { useTranslation } from 'react-i18next'
import { ChooseClass } from './class-choice.tsx'

export function ResultsPage() {
  const { t } = useTranslation('results')
  return <ChooseClass area="results" title={t('title')} lead={t('choose')} />
}
