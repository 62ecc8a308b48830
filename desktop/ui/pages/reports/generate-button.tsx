import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { askWhole, save } from '../../api/queries.ts'
import { ConfirmButton } from '../../components/dialog.tsx'
import { Notice } from '../../components/page.tsx'
import { tell } from '../../components/toasts.tsx'
import { type BookScope, booksRequest, useStanding } from './book-queries.ts'
import { isOutdated } from './book-standing.ts'

/** Makes the books or calculates them again, after a confirmation. */
export function GenerateButton({ of, count }: { of: BookScope; count: number }) {
  const { t } = useTranslation('reports')
  const confirm = async () => {
    const { generated, skipped_locked: skipped } = await save('reports', 'generate', { body: booksRequest(of).query })
    tell(
      [t(count === 0 ? 'generate.made' : 'generate.done', { count: generated }), skipped > 0 && t('generate.skipped', { count: skipped })]
        .filter(Boolean)
        .join(' '),
    )
  }
  const word = count === 0 ? 'first' : 'again'
  return (
    <ConfirmButton
      look={count === 0 ? 'primary' : 'plain'}
      title={t(`generate.${word}`)}
      text={t(`generate.${word}Text`)}
      action={t(`generate.${word}`)}
      danger={false}
      onConfirm={confirm}
    />
  )
}

/** What a class without books shows. Without an assessment in the term they would be empty, so none are offered. */
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

/** How many books are older than the marks, with a button that calculates them again unless one is beside it. */
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
