import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { ButtonLink } from '../../components/button-link.tsx'
import { Notice } from '../../components/page.tsx'
import { chooseTerm } from '../../frame/chosen-term.ts'
import { nameOf } from '../../words/names.ts'
import { type TextGroup, textGroupOf, textOfKey } from './pending-text.ts'
import { useUnsavedTexts } from './use-autosave.tsx'

/** Further ones can be reached from the first. */
const MOST_LINKS = 3

/** The unsaved texts of this person in report books, on every page. They are sent from here too. */
export function UnsavedReports() {
  const { t } = useTranslation('reports')
  const { queue, places, isStored } = useUnsavedTexts()
  const all = queue.all()
  const waiting = all.filter(({ state }) => state === 'waiting').length
  const open = all.filter(({ state }) => state === 'conflict' || state === 'refused')
  const byBook = new Map(open.map(({ assessmentId, studentId }) => [textOfKey(studentId).bookId, assessmentId]))
  const isSignedOut = queue.failure()?.status === 401
  const isKept = isStored()
  return (
    <>
      {(waiting > 0 || !isKept) && (
        <Notice tone={isKept ? 'warn' : 'bad'}>
          <span>{t(!isKept ? 'unsaved.notKept' : isSignedOut ? 'unsaved.signIn' : 'unsaved.waiting', { count: waiting })}</span>
          <Button size="small" onClick={() => queue.retry()}>
            {t('unsaved.retry')}
          </Button>
        </Notice>
      )}
      {open.length > 0 && (
        <Notice tone="bad">
          <span>{t('unsaved.open', { count: open.length })}</span>
          {[...byBook]
            .slice(0, MOST_LINKS)
            .map(([bookId, key]) =>
              places.get(key)?.readsBooks ? (
                <BookLink key={bookId} bookId={bookId} />
              ) : (
                <ClassLink key={bookId} bookId={bookId} group={textGroupOf(key)} />
              ),
            )}
        </Notice>
      )}
    </>
  )
}

function BookLink({ bookId }: { bookId: string }) {
  const { t } = useTranslation('reports')
  const { data: book } = useQuery(ask('reports', 'get', { params: { id: bookId } }))
  return (
    <ButtonLink to="/reports/book/$reportId" params={{ reportId: bookId }} size="small">
      {book ? t('bookOf', { name: nameOf(book.student) }) : t('book')}
    </ButtonLink>
  )
}

/** For a teacher of a subject who may not read whole report books: the row in the form of the class. */
function ClassLink({ bookId, group: { subjectId, classId, termId, type } }: { bookId: string; group: TextGroup }) {
  const { t } = useTranslation('reports')
  return (
    <ButtonLink
      to="/reports/$classId"
      params={{ classId }}
      search={{ view: 'fill', at: bookId, ...(subjectId && { subject: subjectId }), ...(type === 'year_end' && { type }) }}
      size="small"
      onClick={() => chooseTerm(termId)}
    >
      {t('unsaved.toClass')}
    </ButtonLink>
  )
}
