import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { ask, askWhole } from '../../api/queries.ts'
import { school } from '../../frame/parents.tsx'

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

export const markRoutes = [
  createRoute({
    getParentRoute: () => school,
    path: '/marks',
    validateSearch: (search): { classId?: string | undefined; subjectId?: string | undefined } => ({
      classId: text(search['classId']),
      subjectId: text(search['subjectId']),
    }),
    component: lazyRouteComponent(() => import('./choice.tsx'), 'ChooseMarksPage'),
  }),
  createRoute({
    getParentRoute: () => school,
    path: '/marks/$classId/$subjectId',
    validateSearch: (search): { term?: string | undefined } => ({ term: text(search['term']) }),
    // Asked while the page itself is on its way; whatever fails is asked and told by the page.
    loader: ({ context: { queryClient }, params: { classId } }) => {
      void queryClient.prefetchQuery(ask('classes', 'get', { params: { classId } }))
      void queryClient.prefetchQuery(ask('classes', 'mySubjects', { params: { classId } }))
      void queryClient.prefetchQuery(askWhole('classes', 'students', { params: { id: classId } }))
      void queryClient.prefetchQuery(ask('gradingScale', 'get'))
      void queryClient.prefetchQuery(ask('subjects', 'list'))
    },
    component: lazyRouteComponent(() => import('./sheet-page.tsx'), 'SheetPage'),
  }),
]
