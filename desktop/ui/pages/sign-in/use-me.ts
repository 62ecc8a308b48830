import type { Profile } from '@markbook/shared/contract/auth'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { me } from '../../api/session.ts'
import { useSignedOut } from '../../api/signed-out.ts'

/** The profile, for the pages before those of a school; read again every `pollMs`. Without a session it redirects to the sign-in page. */
export function useMe(pollMs?: number): UseQueryResult<Profile> {
  const navigate = useNavigate()
  const isOut = useSignedOut()
  const own = useQuery({ ...me(), ...(pollMs && { refetchInterval: pollMs, refetchIntervalInBackground: true }) })
  useEffect(() => {
    if (isOut) void navigate({ to: '/sign-in', search: { next: location.pathname } })
  }, [isOut, navigate])
  return own
}
