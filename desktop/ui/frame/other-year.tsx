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

type NotCurrentProps = {
  yearId: string | undefined
  /** Something can be entered here. */
  isWritable?: boolean
  /** Where the same is of the current year, where this page is not. */
  to?: '/marks' | '/attendance' | '/reports' | '/classes' | '/students'
}

/** What is shown is of another year than the current one: says so, and leads back. Nothing where it is of the current one, or none is. */
export function NotCurrentYear({ yearId, isWritable = false, to }: NotCurrentProps) {
  const { t } = useTranslation('app')
  const { years } = useChosenTerm()
  const navigate = useNavigate()
  const [own, current] = [years.find(({ id }) => id === yearId), years.find(({ is_active }) => is_active)]
  if (!own || !current || own.id === current.id) return null
  const choose = async () => {
    const isChosen = await chooseYear(current.id)
    // A year without terms cannot be chosen: they come first.
    if (!isChosen) await navigate({ to: '/years' })
    else if (to) await navigate({ to })
  }
  return (
    <Notice>
      <span>
        {t('notCurrentYear', { year: own.name, current: current.name })} {isWritable && t('countsForYear', { year: own.name })}
      </span>
      <Button size="small" onClick={() => void choose()}>
        {t('chooseYear', { year: current.name })}
      </Button>
    </Notice>
  )
}
