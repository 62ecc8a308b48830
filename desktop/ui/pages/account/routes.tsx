import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { school } from '../../frame/parents.tsx'

export const accountRoutes = [
  createRoute({
    getParentRoute: () => school,
    path: '/account',
    component: lazyRouteComponent(() => import('./account-page.tsx'), 'AccountPage'),
  }),
]
