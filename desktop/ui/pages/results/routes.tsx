import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { school } from '../../frame/parents.tsx'
import { pupilSearch, resultsSearch } from './searches.ts'

export const resultRoutes = [
  createRoute({
    getParentRoute: () => school,
    path: '/results',
    component: lazyRouteComponent(() => import('./results-page.tsx'), 'ResultsPage'),
  }),
  createRoute({
    getParentRoute: () => school,
    path: '/results/$classId',
    validateSearch: resultsSearch,
    component: lazyRouteComponent(() => import('./class-results-page.tsx'), 'ClassResultsPage'),
  }),
  createRoute({
    getParentRoute: () => school,
    path: '/results/$classId/students/$studentId',
    validateSearch: pupilSearch,
    component: lazyRouteComponent(() => import('./pupil-page.tsx'), 'PupilPage'),
  }),
]
