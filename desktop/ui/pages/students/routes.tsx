import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { school } from '../../frame/parents.tsx'

type Search = { search?: string; shown?: 'inactive' | 'everybody' }

export const studentRoutes = [
  createRoute({
    getParentRoute: () => school,
    path: '/students',
    validateSearch: ({ search, shown }): Search => ({
      ...(typeof search === 'string' && search && { search }),
      ...((shown === 'inactive' || shown === 'everybody') && { shown }),
    }),
    component: lazyRouteComponent(() => import('./students-page.tsx'), 'StudentsPage'),
  }),
  createRoute({
    getParentRoute: () => school,
    path: '/students/$studentId',
    component: lazyRouteComponent(() => import('./student-page.tsx'), 'StudentPage'),
  }),
]
