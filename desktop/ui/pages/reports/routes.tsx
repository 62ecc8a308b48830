import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { school } from '../../frame/parents.tsx'
import { bookSearch, booksSearch } from './searches.ts'

export const reportRoutes = [
  createRoute({
    getParentRoute: () => school,
    path: '/reports',
    component: lazyRouteComponent(() => import('./reports-page.tsx'), 'ReportsPage'),
  }),
  createRoute({
    getParentRoute: () => school,
    path: '/reports/$classId',
    validateSearch: booksSearch,
    component: lazyRouteComponent(() => import('./books-page.tsx'), 'BooksPage'),
  }),
  createRoute({
    getParentRoute: () => school,
    path: '/reports/book/$reportId',
    validateSearch: bookSearch,
    component: lazyRouteComponent(() => import('./book-page.tsx'), 'BookPage'),
  }),
]
