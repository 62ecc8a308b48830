import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { enteredByWindow } from '../../api/own-window.ts'
import type { Standing } from '../../api/session.ts'
import { Crash } from '../../frame/crash.tsx'
import { root, standing } from '../../frame/parents.tsx'
import { ownPath } from './own-path.ts'

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
const ways = ['join', 'create'] as const
type Way = (typeof ways)[number]

/** Where somebody belongs who opened one of these pages and is further on already, or not so far yet. */
const places: Record<Standing, '/sign-in' | '/welcome' | '/waiting' | '/'> = {
  signed_out: '/sign-in',
  unnamed: '/welcome',
  no_school: '/welcome',
  waiting: '/waiting',
  in_school: '/',
}

export const signInRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/sign-in',
    validateSearch: (search: Record<string, unknown>): { next?: string } => ({
      ...(text(search['next']) && { next: text(search['next']) }),
    }),
    beforeLoad: async ({ context, search }) => {
      // A server that does not answer is for the page to say.
      const at = await standing(context.queryClient).catch(() => 'signed_out' as const)
      if (at === 'in_school') throw redirect({ href: ownPath(search.next) })
      if (at !== 'signed_out') throw redirect({ to: places[at] })
      // Whoever signed out has no way back in the address, and is asked; whose session ran out has.
      if (search.next !== undefined && (await enteredByWindow())) {
        context.queryClient.clear()
        throw redirect({ href: ownPath(search.next) })
      }
    },
    component: lazyRouteComponent(() => import('./sign-in-page.tsx'), 'SignInPage'),
    errorComponent: Crash,
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/welcome',
    validateSearch: (search: Record<string, unknown>): { way?: Way } => {
      const way = ways.find((one) => one === search['way'])
      return way ? { way } : {}
    },
    beforeLoad: async ({ context }) => {
      const at = await standing(context.queryClient)
      if (places[at] !== '/welcome') throw redirect({ to: places[at] })
    },
    component: lazyRouteComponent(() => import('./welcome-page.tsx'), 'WelcomePage'),
    errorComponent: Crash,
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/waiting',
    beforeLoad: async ({ context }) => {
      const at = await standing(context.queryClient)
      if (places[at] !== '/waiting') throw redirect({ to: places[at] })
    },
    component: lazyRouteComponent(() => import('./waiting-page.tsx'), 'WaitingPage'),
    errorComponent: Crash,
  }),
]
