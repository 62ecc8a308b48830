import { Failure } from '@markbook/shared/failures'
import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { type AccountState, accountStateOf, me } from '../api/session.ts'
import { loadRemainingWords } from '../words/words.ts'
import { ErrorPage } from './error-page.tsx'

export const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({})

/** The page for a person who does not belong to a school (yet). */
const redirects = { signed_out: '/sign-in', unnamed: '/welcome', no_school: '/welcome', waiting: '/waiting' } as const

/** Reads who is signed in. A 401 means signed out; any other failure is thrown. */
export async function loadAccountState(queryClient: QueryClient): Promise<AccountState> {
  try {
    return accountStateOf(await queryClient.ensureQueryData({ ...me(), revalidateIfStale: true }))
  } catch (failure) {
    if (failure instanceof Failure && failure.status === 401) return 'signed_out'
    throw failure
  }
}

/** The pages of the school: for those who are signed in and belong to one. */
export const schoolRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'school',
  beforeLoad: async ({ context, location }) => {
    const at = await loadAccountState(context.queryClient)
    if (at !== 'in_school') throw redirect({ to: redirects[at], search: at === 'signed_out' ? { next: location.href } : {} })
    await loadRemainingWords()
  },
  component: lazyRouteComponent(() => import('./frame.tsx'), 'Frame'),
  errorComponent: ErrorPage,
})
