import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/page.tsx'
import { chooseYear, useChosenTerm } from './chosen-term.ts'

/**
 * For a page whose content is of another year than the chosen one: says which, and offers to choose it. Shows nothing where it is the
 * chosen one.
 */
export function OtherYear({ yearId }: { yearId: string }) {
  const { t } = useTranslation('app')
  const { years, year, isLoading } = useChosenTerm()
  const navigate = useNavigate()
  const own = years.find(({ id }) => id === yearId)
  if (isLoading || !own || own.id === year?.id) return null
  // A year without terms cannot be chosen: terms must be added first.
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
  /** The page has fields to enter something. */
  isWritable?: boolean
  /** The link to the same page for the current year; this page by default. */
  to?: '/marks' | '/attendance' | '/reports' | '/classes' | '/students'
}

/**
 * For a page whose content is not of the current year: says so, and leads back. Shows nothing where it is of the current year, or no year
 * is active.
 */
export function NotCurrentYear({ yearId, isWritable = false, to }: NotCurrentProps) {
  const { t } = useTranslation('app')
  const { years } = useChosenTerm()
  const navigate = useNavigate()
  const [own, current] = [years.find(({ id }) => id === yearId), years.find(({ is_active }) => is_active)]
  if (!own || !current || own.id === current.id) return null
  const choose = async () => {
    const isChosen = await chooseYear(current.id)
    // A year without terms cannot be chosen: terms must be added first.
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
