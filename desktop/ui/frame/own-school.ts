import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../api/client.ts'
import { me, useProfile } from '../api/session.ts'
import { useToasts } from '../components/toasts.tsx'

/**
 * What was read of one school is never shown in another: whenever the active school becomes another one, by the menu, in another window
 * or because somebody let this person in, all is asked anew.
 */
export function useFreshSchool(): void {
  const { t } = useTranslation('account')
  const { school_id, school } = useProfile()
  const queries = useQueryClient()
  const { tell } = useToasts()
  const before = useRef(school_id)
  useEffect(() => {
    if (before.current === school_id) return
    before.current = school_id
    void queries.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'auth' })
    if (school) tell(t('schools.now', { school: school.name }))
  }, [school_id, school, queries, tell, t])
}

/** Makes another of the own schools the active one, and goes to its first page. */
export function useSwitchSchool() {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { tellFailure } = useToasts()
  return useMutation({
    mutationFn: async (schoolId: string) => {
      const profile = await client.auth.updateProfile({ body: { schoolId } })
      // Away from what belongs to the other school before anything asks for it again.
      await navigate({ to: '/' })
      queries.setQueryData(me().queryKey, profile)
    },
    onError: tellFailure,
  })
}
