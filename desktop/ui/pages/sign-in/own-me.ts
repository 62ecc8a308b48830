import type { Profile } from '@markbook/shared/contract/auth'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { me } from '../../api/session.ts'
import { useSignedOut } from '../../api/signed-out.ts'

/** Who is signed in, on the pages before the school; `every` asks again in that many ms. Who no longer is goes to the sign-in page. */
export function useOwnMe(every?: number): UseQueryResult<Profile> {
  const navigate = useNavigate()
  const isOut = useSignedOut()
  const own = useQuery({ ...me(), ...(every && { refetchInterval: every, refetchIntervalInBackground: true }) })
  useEffect(() => {
    if (isOut) void navigate({ to: '/sign-in', search: { next: location.pathname } })
  }, [isOut, navigate])
  return own
}
