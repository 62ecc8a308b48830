import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { school } from '../../frame/parents.tsx'

export const peopleRoutes = [
  createRoute({
    getParentRoute: () => school,
    path: '/people',
    component: lazyRouteComponent(() => import('./people-page.tsx'), 'PeoplePage'),
  }),
]
