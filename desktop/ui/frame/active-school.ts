import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../api/client.ts'
import { keepProfile } from '../api/last-seen.ts'
import { queryClient } from '../api/queries.ts'
import { me, useProfile } from '../api/session.ts'
import { tell, tellFailure } from '../components/toasts.tsx'

/**
 * Reloads everything when the active school changes (by the menu, in another window, or by an approved request), so that no data of one
 * school is shown in another.
 */
export function useResetOnSchoolChange(): void {
  const { t } = useTranslation('account')
  const { id, school_id, school } = useProfile()
  const before = useRef(school_id)
  const first = useRef(id)
  useEffect(() => {
    // Somebody else has signed in in another window: nothing of the former person may stay in this one.
    if (first.current !== id) location.reload()
  }, [id])
  useEffect(() => {
    if (before.current === school_id) return
    before.current = school_id
    void queryClient.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'auth' })
    if (school) tell(t('schools.now', { school: school.name }))
  }, [school_id, school, t])
}

/** Makes another school of this person the active one, and opens its first page. */
export function useSwitchSchool() {
  const navigate = useNavigate()
  return useMutation({
    mutationFn: async (schoolId: string) => {
      const profile = await client.auth.updateProfile({ body: { schoolId } })
      // Leave the page first: its data belongs to the former school.
      await navigate({ to: '/' })
      keepProfile(profile)
      queryClient.setQueryData(me().queryKey, profile)
    },
    onError: tellFailure,
  })
}
