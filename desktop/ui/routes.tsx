import { createRoute, createRouter } from '@tanstack/react-router'
import { queryClient } from './api/queries.ts'
import { Crash } from './frame/crash.tsx'
import { Missing } from './frame/missing.tsx'
import { root, school } from './frame/parents.tsx'
import { Pending } from './frame/pending.tsx'
import { accountRoutes } from './pages/account/routes.tsx'
import { assessmentRoutes } from './pages/assessments/routes.tsx'
import { classRoutes } from './pages/classes/routes.tsx'
import { historyRoutes } from './pages/history/routes.tsx'
import { homeRoutes } from './pages/home/routes.tsx'
import { markRoutes } from './pages/marks/routes.tsx'
import { peopleRoutes } from './pages/people/routes.tsx'
import { reportRoutes } from './pages/reports/routes.tsx'
import { resultRoutes } from './pages/results/routes.tsx'
import { schoolRoutes } from './pages/school/routes.tsx'
import { signInRoutes } from './pages/sign-in/routes.tsx'
import { studentRoutes } from './pages/students/routes.tsx'
import { subjectRoutes } from './pages/subjects/routes.tsx'
import { syncRoutes } from './pages/sync/routes.tsx'
import { yearRoutes } from './pages/years/routes.tsx'

/** Every page has an address; each is loaded when it is first opened. A folder of `pages` declares its own. */
const tree = root.addChildren([
  ...signInRoutes,
  school.addChildren([
    ...homeRoutes,
    ...markRoutes,
    ...assessmentRoutes,
    ...classRoutes,
    ...studentRoutes,
    ...resultRoutes,
    ...reportRoutes,
    ...yearRoutes,
    ...subjectRoutes,
    ...schoolRoutes,
    ...peopleRoutes,
    ...syncRoutes,
    ...historyRoutes,
    ...accountRoutes,
  ]),
  createRoute({ getParentRoute: () => root, path: '$', component: Missing }),
])

export const router = createRouter({
  routeTree: tree,
  context: { queryClient },
  defaultPreload: 'intent',
  // A page whose program or first answer is on its way says so, before anybody wonders.
  defaultPendingComponent: Pending,
  defaultPendingMs: 200,
  defaultErrorComponent: Crash,
  defaultNotFoundComponent: Missing,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
