import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { school } from '../../frame/parents.tsx'

export const classRoutes = [
  createRoute({
    getParentRoute: () => school,
    path: '/classes',
    component: lazyRouteComponent(() => import('./classes-page.tsx'), 'ClassesPage'),
  }),
  createRoute({
    getParentRoute: () => school,
    path: '/classes/$classId',
    component: lazyRouteComponent(() => import('./class-page.tsx'), 'ClassPage'),
  }),
]
