import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { school } from '../../frame/parents.tsx'

export const syncRoutes = [
  createRoute({
    getParentRoute: () => school,
    path: '/sync',
    component: lazyRouteComponent(() => import('./sync-page.tsx'), 'SyncPage'),
  }),
  createRoute({
    getParentRoute: () => school,
    path: '/sync/conflicts',
    component: lazyRouteComponent(() => import('./conflicts-page.tsx'), 'ConflictsPage'),
  }),
  createRoute({
    getParentRoute: () => school,
    path: '/sync/nodes',
    component: lazyRouteComponent(() => import('./nodes-page.tsx'), 'NodesPage'),
  }),
]
