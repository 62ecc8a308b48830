import { useTranslation } from 'react-i18next'
import { ChooseClass } from '../results/class-choice.tsx'

export function ReportsPage() {
  const { t } = useTranslation('reports')
  return <ChooseClass area="reports" title={t('title')} lead={t('choose')} />
}
