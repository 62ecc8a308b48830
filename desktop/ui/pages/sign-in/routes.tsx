import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { desktopClient } from '../../api/client.ts'
import { queryClient } from '../../api/queries.ts'
import { ErrorPage } from '../../frame/error-page.tsx'
import { isLoopback } from '../../frame/loopback.ts'
import { loadAccountState, pathByState, rootRoute } from '../../frame/parent-routes.tsx'
import { searchTexts } from '../../frame/search-texts.ts'
import { loadRemainingWords } from '../../words/words.ts'
import { localPath } from './local-path.ts'

const ways = ['join', 'create'] as const
type WelcomeWay = (typeof ways)[number]

const redirectUnless = (path: '/welcome' | '/waiting') => async () => {
  const [at] = await Promise.all([loadAccountState(), loadRemainingWords()])
  const to = pathByState[at]
  if (to !== path) throw redirect({ to })
}

/**
 * In the desktop app's window its owner gets a new session without a code, so that a teacher whose session has expired is not locked out of
 * their own laptop. False elsewhere; sends no request to a server on another machine.
 */
const signedInByDesktop = async () =>
  isLoopback(location.hostname) &&
  desktopClient.enter().then(
    () => true,
    () => false,
  )

export const signInRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/sign-in',
    validateSearch: (search): { next?: string } => searchTexts(search, 'next'),
    beforeLoad: async ({ search }) => {
      // The page itself shows that the server does not answer.
      const at = await loadAccountState().catch(() => 'signed_out' as const)
      if (at === 'in_school') throw redirect({ href: localPath(search.next) })
      if (at !== 'signed_out') throw redirect({ to: pathByState[at] })
      // `next` is missing after a sign-out: then a code is required.
      if (search.next !== undefined && (await signedInByDesktop())) {
        queryClient.clear()
        throw redirect({ href: localPath(search.next) })
      }
    },
    component: lazyRouteComponent(() => import('./sign-in-page.tsx'), 'SignInPage'),
    errorComponent: ErrorPage,
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/welcome',
    validateSearch: (search: Record<string, unknown>): { way?: WelcomeWay } => {
      const way = ways.find((one) => one === search['way'])
      return way ? { way } : {}
    },
    beforeLoad: redirectUnless('/welcome'),
    component: lazyRouteComponent(() => import('./welcome-page.tsx'), 'WelcomePage'),
    errorComponent: ErrorPage,
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/waiting',
    beforeLoad: redirectUnless('/waiting'),
    component: lazyRouteComponent(() => import('./waiting-page.tsx'), 'WaitingPage'),
    errorComponent: ErrorPage,
  }),
]
