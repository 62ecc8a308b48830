import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { school } from '../../frame/parents.tsx'

export const assessmentRoutes = [
  createRoute({
    getParentRoute: () => school,
    path: '/assessments',
    validateSearch: (search): { subject?: string } => (typeof search['subject'] === 'string' ? { subject: search['subject'] } : {}),
    component: lazyRouteComponent(() => import('./assessments-page.tsx'), 'AssessmentsPage'),
  }),
]
