import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { school } from '../../frame/parents.tsx'

export const yearRoutes = [
  createRoute({
    getParentRoute: () => school,
    path: '/years',
    component: lazyRouteComponent(() => import('./years-page.tsx'), 'YearsPage'),
  }),
  createRoute({
    getParentRoute: () => school,
    path: '/years/$yearId/roll-over',
    component: lazyRouteComponent(() => import('./roll-over-page.tsx'), 'RollOverPage'),
  }),
]
