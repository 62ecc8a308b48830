import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/page.tsx'
import { chooseYear, useChosenTerm } from './chosen-term.ts'

/** What is shown or asked for is of another year than the one that is chosen at the top: says which, and chooses it. Nothing where it is the chosen one. */
export function OtherYear({ yearId }: { yearId: string }) {
  const { t } = useTranslation('app')
  const { years, year, isLoading } = useChosenTerm()
  const navigate = useNavigate()
  const own = years.find(({ id }) => id === yearId)
  if (isLoading || !own || own.id === year?.id) return null
  // A year without terms cannot be chosen: they come first.
  const choose = async () => (await chooseYear(own.id)) || navigate({ to: '/years' })
  return (
    <Notice tone="warn">
      <span>{t('otherYear', { year: own.name, chosen: year?.name ?? '–' })}</span>
      <Button size="small" onClick={() => void choose()}>
        {t('chooseYear', { year: own.name })}
      </Button>
    </Notice>
  )
}
