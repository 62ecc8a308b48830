import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { school } from '../../frame/parents.tsx'

export const homeRoutes = [
  createRoute({ getParentRoute: () => school, path: '/', component: lazyRouteComponent(() => import('./home-page.tsx'), 'HomePage') }),
]
