import type { AcademicYear } from '@markbook/shared/contract/academic-years'
import type { Term } from '@markbook/shared/contract/terms'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/page.tsx'
import { day as dayText, weekday } from '../../words/format.ts'
import { today } from './model/register.ts'
import { nextUsualDay, unusualDay } from './model/unusual-day.ts'
import { useSchoolDays } from './use-school-days.ts'

type Props = { day: string; isChosen: boolean; year: AcademicYear; terms: readonly Term[]; onChoose: (place: { day: string }) => void }

/** Says that the day is unusual, and offers the next usual one. `isChosen`: somebody chose this day; else it is the nearest to today. */
export function DayNotice({ day, isChosen, year, terms, onChoose }: Props) {
  const { t } = useTranslation('attendance')
  const now = today()
  const schoolDays = useSchoolDays()
  if (!isChosen && day !== now) return <Notice>{t('otherYear', { today: dayText(now), year: year.name, day: dayText(day) })}</Notice>
  if (!schoolDays) return null
  const usual = { schoolDays, terms }
  const kind = unusualDay(day, usual, now)
  if (!kind) return null
  const next = kind === 'tomorrow' ? null : nextUsualDay(day, usual, year)
  return (
    <Notice tone="warn">
      <span>{t(`unusual.${kind}`, { day: weekday(day) })}</span>
      {next && <Button onClick={() => onChoose({ day: next })}>{t('unusual.next', { day: weekday(next) })}</Button>}
    </Notice>
  )
}
