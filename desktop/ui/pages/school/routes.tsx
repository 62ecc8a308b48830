import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { school } from '../../frame/parents.tsx'

export const schoolRoutes = [
  createRoute({
    getParentRoute: () => school,
    path: '/school',
    component: lazyRouteComponent(() => import('./school-page.tsx'), 'SchoolPage'),
  }),
  createRoute({
    getParentRoute: () => school,
    path: '/scale',
    component: lazyRouteComponent(() => import('./scale-page.tsx'), 'ScalePage'),
  }),
]
