import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../api/queries.ts'
import { useProfile } from '../api/session.ts'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/page.tsx'
import { entriesOfSchools } from '../storage/entries-of-schools.ts'
import { useSwitchSchool } from './active-school.ts'

/** How often the entries are counted, in ms. */
const LOOK_EVERY = 10_000

/** The unsaved entries of this person for their other schools, which are sent once that school is the active one. */
export function OtherSchools() {
  const { t } = useTranslation('app')
  const { id, school_id } = useProfile()
  const { data: memberships = [] } = useQuery(ask('auth', 'schools'))
  const others = memberships.filter(({ is_active, school }) => is_active && school.id !== school_id)
  const { data: counts } = useQuery({
    queryKey: ['entries', id, school_id],
    queryFn: () => entriesOfSchools(id),
    enabled: others.length > 0,
    refetchInterval: LOOK_EVERY,
    // They are in this browser.
    networkMode: 'always',
  })
  const switchTo = useSwitchSchool()
  return others.map(({ school }) => {
    const count = counts?.get(school.id) ?? 0
    if (count === 0) return null
    return (
      <Notice key={school.id} tone="warn">
        <span>{t('otherSchool.waiting', { count, school: school.name })}</span>
        <Button size="small" busy={switchTo.isPending} onClick={() => switchTo.mutate(school.id)}>
          {t('otherSchool.switch', { school: school.name })}
        </Button>
      </Notice>
    )
  })
}
