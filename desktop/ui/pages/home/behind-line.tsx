import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Behind } from './use-behind.ts'

/** How many books of a class the marks have left behind, and the way to them. */
export function BehindLine({ behind: { classId, type, count }, name }: { behind: Behind; name: string }) {
  const { t } = useTranslation('home')
  return (
    <Link
      to="/reports/$classId"
      params={{ classId }}
      search={{ ...(type === 'year_end' && { type }) }}
      aria-label={`${name}: ${t(`behind.${type}`, { count })}`}
    >
      {t(`behind.${type}`, { count })}
    </Link>
  )
}
