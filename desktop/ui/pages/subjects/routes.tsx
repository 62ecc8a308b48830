import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { school } from '../../frame/parents.tsx'

export const subjectRoutes = [
  createRoute({
    getParentRoute: () => school,
    path: '/subjects',
    component: lazyRouteComponent(() => import('./subjects-page.tsx'), 'SubjectsPage'),
  }),
]
