import { Failure } from '@markbook/shared/failures'
import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { me, type Standing, standingOf } from '../api/session.ts'
import { restOfWords } from '../words/words.ts'
import { Crash } from './crash.tsx'

export const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({})

/** Where whoever does not belong in the school's pages (yet) goes instead. */
const elsewhere = { signed_out: '/sign-in', unnamed: '/welcome', no_school: '/welcome', waiting: '/waiting' } as const

/** Reads who is signed in; nobody is an answer too. Any other failure is the page's to show. */
export async function standing(queryClient: QueryClient): Promise<Standing> {
  try {
    return standingOf(await queryClient.ensureQueryData({ ...me(), revalidateIfStale: true }))
  } catch (failure) {
    if (failure instanceof Failure && failure.status === 401) return 'signed_out'
    throw failure
  }
}

/** The pages of the school: for those who are signed in and belong to one. */
export const school = createRoute({
  getParentRoute: () => root,
  id: 'school',
  beforeLoad: async ({ context, location }) => {
    const at = await standing(context.queryClient)
    if (at !== 'in_school') throw redirect({ to: elsewhere[at], search: at === 'signed_out' ? { next: location.href } : {} })
    await restOfWords()
  },
  component: lazyRouteComponent(() => import('./frame.tsx'), 'Frame'),
  errorComponent: Crash,
})
