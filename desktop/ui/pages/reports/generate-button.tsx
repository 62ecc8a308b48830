import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { askWhole, save } from '../../api/queries.ts'
import { ConfirmButton } from '../../components/dialog.tsx'
import { Notice } from '../../components/page.tsx'
import { tell } from '../../components/toasts.tsx'
import { useAsking } from './approval.tsx'
import { type BookScope, booksRequest, useBooks, useStanding } from './book-queries.ts'
import { isOutdated } from './book-standing.ts'

/** Makes the report books or calculates them again, after a confirmation. */
export function GenerateButton({ of, count }: { of: BookScope; count: number }) {
  const { t } = useTranslation('reports')
  const asks = useAsking().approves_reports === true
  const unmade = useUnmade(of)
  const standing = useStanding(of)
  const isNothing = count > 0 && unmade === 0 && standing.data?.some(isOutdated) === false
  const isNext = useIsOutdated(of)
  const confirm = async () => {
    const { generated, skipped_locked: skipped } = await save('reports', 'generate', { body: booksRequest(of).query })
    tell(
      [t(count === 0 ? 'generate.made' : 'generate.done', { count: generated }), skipped > 0 && t('generate.skipped', { count: skipped })]
        .filter(Boolean)
        .join(' '),
    )
    // The button is disabled now, and cannot take the focus.
    if (count > 0) setTimeout(() => document.querySelector<HTMLElement>('h1')?.focus())
  }
  const word = count === 0 ? 'first' : 'again'
  return (
    <ConfirmButton
      look={count === 0 || isNext ? 'primary' : 'plain'}
      title={t(`generate.${word}`)}
      {...(isNothing && { disabled: true, title: t('generate.nothing') })}
      text={[t(`generate.${word}Text`), asks && word === 'again' && t('generate.approval')].filter(Boolean).join(' ')}
      action={t(`generate.${word}`)}
      danger={false}
      onConfirm={confirm}
    />
  )
}

/** Shown for a class without report books. In a term without an assessment they would be empty, and are not offered. */
export function NoBooks({ of }: { of: BookScope }) {
  const { t } = useTranslation('reports')
  const progress = useQuery({ ...askWhole('classes', 'progress', { query: { termId: of.termId } }), enabled: of.type === 'term' })
  const own = progress.data?.filter((row) => row.class.id === of.classId)
  if (own?.every(({ assessments }) => assessments === 0))
    return (
      <>
        <p>{t('books.nothingAssessed')}</p>
        <Link to="/assessments">{t('check.assess')}</Link>
      </>
    )
  return (
    <>
      <p>{t('books.none')}</p>
      <GenerateButton of={of} count={0} />
    </>
  )
}

/** The number of pupils of the class without a report book; undefined while it is unknown. */
function useUnmade(of: BookScope): number | undefined {
  const books = useBooks(of)
  const pupils = useQuery(askWhole('classes', 'students', { params: { id: of.classId } }))
  if (!books.data || !pupils.data) return
  const made = new Set(books.data.map(({ student }) => student.id))
  return pupils.data.filter(({ id }) => !made.has(id)).length
}

/** Whether the report books are to be brought up to date before they go out: that is then the primary action. */
export function useIsOutdated(of: BookScope): boolean {
  const standing = useStanding(of)
  const unmade = useUnmade(of) ?? 0
  return unmade > 0 || standing.data?.some(isOutdated) === true
}

/** Says that pupils who came after the report books were made have none. */
export function UnmadeNotice({ of }: { of: BookScope }) {
  const { t } = useTranslation('reports')
  const unmade = useUnmade(of) ?? 0
  return unmade > 0 ? <Notice tone="warn">{t('books.unmade', { count: unmade })}</Notice> : null
}

/** The number of report books older than the marks, with a button that calculates them again unless there is one beside it. */
export function OutdatedNotice({ of, isBesideButton = false }: { of: BookScope; isBesideButton?: boolean }) {
  const { t } = useTranslation('reports')
  const standing = useStanding(of)
  const behind = standing.data?.filter(isOutdated).length ?? 0
  if (behind === 0) return null
  return (
    <Notice tone="warn">
      <span>{t('behind.books', { count: behind })}</span>
      {!isBesideButton && <GenerateButton of={of} count={standing.data?.length ?? 0} />}
    </Notice>
  )
}
