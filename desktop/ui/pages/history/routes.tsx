import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { school } from '../../frame/parents.tsx'
import type { HistoryEntity } from './history-panel.tsx'

export const historyRoutes = [
  createRoute({
    getParentRoute: () => school,
    path: '/history',
    // A kind of rows that there is not is answered by the server, in a sentence.
    validateSearch: ({ entity, id }): { entity?: HistoryEntity; id?: string } => ({
      ...(typeof entity === 'string' && { entity: entity as HistoryEntity }),
      ...(typeof id === 'string' && { id }),
    }),
    component: lazyRouteComponent(() => import('./history-page.tsx'), 'HistoryPage'),
  }),
]
