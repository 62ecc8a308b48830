import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { askWhole } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { Notice } from '../../components/page.tsx'
import { firstOf } from '../../words/format.ts'

/** Further addresses are only counted. */
const MAX_NAMED = 5

/** Beside a choice of teachers: who is invited and therefore not in it yet, and what makes them appear. An administrator alone may know. */
export function InvitedNotice() {
  const { t } = useTranslation('classes')
  const { data: invited = [] } = useQuery({ ...askWhole('invitations', 'list'), enabled: isAdmin(useProfile()) })
  const [first] = invited
  if (!first) return null
  const emails = firstOf(
    invited.map(({ email }) => email),
    MAX_NAMED,
  )
  return (
    <Notice>
      <span>{t('invited.notYet', { emails, count: invited.length })}</span>
      <Link to="/people">{t('invited.people')}</Link>
    </Notice>
  )
}
