import { Failure } from '@markbook/shared/failures'
import { createRootRoute, createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { queryClient } from '../api/queries.ts'
import { type AccountState, accountStateOf, me } from '../api/session.ts'
import { isSigningOut } from '../api/signed-out.ts'
import { loadRemainingWords } from '../words/words.ts'
import { ErrorPage } from './error-page.tsx'
import { finishSignOut } from './sign-out.ts'

export const rootRoute = createRootRoute()

/** The page for each state of an account. */
export const pathByState = {
  signed_out: '/sign-in',
  unnamed: '/welcome',
  no_school: '/welcome',
  waiting: '/waiting',
  in_school: '/',
} as const satisfies Record<AccountState, string>

/** Reads who is signed in. 401 means nobody; any other failure is thrown. */
export async function loadAccountState(): Promise<AccountState> {
  if (isSigningOut()) {
    await finishSignOut()
    return 'signed_out'
  }
  try {
    return accountStateOf(await queryClient.ensureQueryData({ ...me(), revalidateIfStale: true }))
  } catch (failure) {
    if (failure instanceof Failure && failure.status === 401) return 'signed_out'
    throw failure
  }
}

/** The route above all pages of the school, for members who are signed in. */
export const schoolRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'school',
  beforeLoad: async ({ location }) => {
    const [at] = await Promise.all([loadAccountState(), loadRemainingWords()])
    if (at !== 'in_school') throw redirect({ to: pathByState[at], search: at === 'signed_out' ? { next: location.href } : {} })
  },
  component: lazyRouteComponent(() => import('./frame.tsx'), 'Frame'),
  errorComponent: ErrorPage,
})
