import { createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Loading } from './components/page.tsx'
import { ErrorPage, NotFoundPage } from './frame/error-page.tsx'
import { rootRoute, schoolRoute } from './frame/parent-routes.tsx'
import { searchTexts } from './frame/search-texts.ts'
import type { HistoryEntity } from './pages/history/history-panel.tsx'
import { overviewSearch } from './pages/overview/overview-search.ts'
import { booksSearch } from './pages/reports/book-search.ts'
import { pupilSearch, resultsSearch } from './pages/results/results-search.ts'
import { signInRoutes } from './pages/sign-in/routes.tsx'
import { prefetchClasses, prefetchOverview, prefetchPeople, prefetchSheet, prefetchStudents } from './prefetch.ts'
import { loadRemainingWords } from './words/words.ts'

const getParentRoute = () => schoolRoute

type Load<Name extends string> = () => Promise<Record<Name, () => ReactNode>>

/** A page of the school without search parameters. `loader` prefetches its data while its module is loaded. */
const page = <Path extends string, Name extends string>(path: Path, load: Load<Name>, name: Name, loader?: () => void) =>
  createRoute({ getParentRoute, path, component: lazyRouteComponent(load, name), loader })

/** The same with search parameters. */
const searchPage = <Path extends string, Name extends string, Search extends object>(
  path: Path,
  validateSearch: (search: Record<string, unknown>) => Search,
  load: Load<Name>,
  name: Name,
  loader?: () => void,
) => createRoute({ getParentRoute, path, validateSearch, component: lazyRouteComponent(load, name), loader })

/** Accepts these search parameters where they are texts. */
const texts =
  <Name extends string>(...names: Name[]) =>
  (search: Record<string, unknown>) =>
    searchTexts(search, ...names)

/** The module of each page is loaded when the page is first opened. */
const schoolRoutes = [
  page('/', () => import('./pages/home/home-page.tsx'), 'HomePage'),
  searchPage('/marks', texts('classId', 'subjectId'), () => import('./pages/marks/choose-marks-page.tsx'), 'ChooseMarksPage'),
  createRoute({
    getParentRoute,
    path: '/marks/$classId/$subjectId',
    validateSearch: (search: Record<string, unknown>) => searchTexts(search, 'term'),
    loaderDeps: ({ search: { term } }) => ({ term }),
    loader: ({ params, deps }) => prefetchSheet(params, deps.term),
    component: lazyRouteComponent(() => import('./pages/marks/sheet-page.tsx'), 'SheetPage'),
  }),
  searchPage('/marks/sets/$setId', texts('term'), () => import('./pages/marks/set-sheet-page.tsx'), 'SetSheetPage'),
  page('/attendance', () => import('./pages/attendance/attendance-page.tsx'), 'ChooseAttendancePage'),
  searchPage('/attendance/$classId', texts('day', 'lesson'), () => import('./pages/attendance/attendance-page.tsx'), 'AttendancePage'),
  searchPage('/assessments', texts('subject'), () => import('./pages/assessments/assessments-page.tsx'), 'AssessmentsPage'),
  page('/classes', () => import('./pages/classes/classes-page.tsx'), 'ClassesPage', prefetchClasses),
  page('/classes/$classId', () => import('./pages/classes/class-page.tsx'), 'ClassPage'),
  page('/sets', () => import('./pages/sets/sets-page.tsx'), 'SetsPage'),
  page('/sets/$setId', () => import('./pages/sets/set-page.tsx'), 'SetPage'),
  searchPage(
    '/students',
    ({ shown, ...search }): { search?: string; shown?: 'inactive' | 'everybody' } => ({
      ...searchTexts(search, 'search'),
      ...((shown === 'inactive' || shown === 'everybody') && { shown }),
    }),
    () => import('./pages/students/students-page.tsx'),
    'StudentsPage',
    prefetchStudents,
  ),
  page('/students/$studentId', () => import('./pages/students/student-page.tsx'), 'StudentPage'),
  page('/results', () => import('./pages/results/class-results-page.tsx'), 'ResultsPage'),
  searchPage('/results/$classId', resultsSearch, () => import('./pages/results/class-results-page.tsx'), 'ClassResultsPage'),
  searchPage('/results/$classId/students/$studentId', pupilSearch, () => import('./pages/results/pupil-page.tsx'), 'PupilPage'),
  page('/reports', () => import('./pages/reports/books-page.tsx'), 'ReportsPage'),
  searchPage('/reports/$classId', booksSearch, () => import('./pages/reports/books-page.tsx'), 'BooksPage'),
  searchPage('/reports/book/$reportId', texts('pdf'), () => import('./pages/reports/book-page.tsx'), 'BookPage'),
  searchPage('/overview', overviewSearch, () => import('./pages/overview/overview-page.tsx'), 'OverviewPage', prefetchOverview),
  page('/years', () => import('./pages/years/years-page.tsx'), 'YearsPage'),
  page('/years/$yearId/categories', () => import('./pages/years/categories-page.tsx'), 'CategoriesPage'),
  page('/years/$yearId/roll-over', () => import('./pages/years/roll-over-page.tsx'), 'RollOverPage'),
  page('/subjects', () => import('./pages/subjects/subjects-page.tsx'), 'SubjectsPage'),
  page('/school', () => import('./pages/school/school-page.tsx'), 'SchoolPage'),
  page('/scale', () => import('./pages/school/scale-page.tsx'), 'ScalePage'),
  page('/bin', () => import('./pages/bin/bin-page.tsx'), 'BinPage'),
  searchPage('/audit', texts('person', 'pupil', 'kind', 'from', 'to'), () => import('./pages/audit/audit-page.tsx'), 'AuditPage'),
  page('/people', () => import('./pages/people/people-page.tsx'), 'PeoplePage', prefetchPeople),
  page('/sync', () => import('./pages/sync/sync-page.tsx'), 'SyncPage'),
  page('/sync/conflicts', () => import('./pages/sync/conflicts-page.tsx'), 'ConflictsPage'),
  page('/sync/nodes', () => import('./pages/sync/nodes-page.tsx'), 'NodesPage'),
  searchPage(
    '/history',
    // For an unknown entity the server replies with a message.
    (search) => searchTexts(search, 'entity', 'id') as { entity?: HistoryEntity; id?: string },
    () => import('./pages/history/history-panel.tsx'),
    'HistoryPage',
  ),
  page('/account', () => import('./pages/account/account-page.tsx'), 'AccountPage'),
]

const pairRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/pair',
  beforeLoad: loadRemainingWords,
  component: lazyRouteComponent(() => import('./pages/pair/pair-page.tsx'), 'PairPage'),
  errorComponent: ErrorPage,
})

const tree = rootRoute.addChildren([
  ...signInRoutes,
  pairRoute,
  schoolRoute.addChildren(schoolRoutes),
  createRoute({ getParentRoute: () => rootRoute, path: '$', component: NotFoundPage }),
])

export const router = createRouter({
  routeTree: tree,
  defaultPreload: 'intent',
  defaultPendingComponent: Loading,
  defaultPendingMs: 200,
  defaultErrorComponent: ErrorPage,
  defaultNotFoundComponent: NotFoundPage,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
