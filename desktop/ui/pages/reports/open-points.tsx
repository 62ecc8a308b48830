import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { FailureNotice, Loading, Notice } from '../../components/page.tsx'
import { concerning, findingKinds } from './checks.ts'
import type { ListedBook } from './kept-books.ts'
import styles from './reports.module.css'
import type { OfBooks } from './use-books.ts'
import { useFindings } from './use-findings.ts'

type Props = { of: OfBooks; yearId: string; books: readonly Pick<ListedBook, 'student'>[] }

/** What is open for these books, said before they take a step: how many of what, the gravest first, and the way to the check. */
export function OpenPoints({ of, yearId, books }: Props) {
  const { t } = useTranslation('reports')
  const { findings, error } = useFindings(of, yearId)
  if (error) return <FailureNotice failure={error} />
  if (!findings) return <Loading />
  const own = concerning(findings, books)
  if (own.length === 0) return <Notice tone="good">{t(books.length === 1 ? 'open.nothingInOne' : 'open.nothing')}</Notice>
  const counts = findingKinds.map((kind) => [kind, own.filter((finding) => finding.kind === kind).length] as const)
  return (
    <Notice tone="warn">
      <div>
        <p>
          <strong>{t(books.length === 1 ? 'open.foundInOne' : 'open.found', { count: own.length })}</strong>
        </p>
        <ul className={styles['plain']}>
          {counts.map(
            ([kind, count]) =>
              count > 0 && (
                <li key={kind} className={kind === 'out_of_date' ? styles['grave'] : undefined}>
                  {kind === 'out_of_date' ? t('open.behind', { count }) : t('open.of', { what: t(`check.${kind}.title`), count })}
                </li>
              ),
          )}
        </ul>
        <Link
          to="/reports/$classId"
          params={{ classId: of.classId }}
          search={{ ...(of.type === 'year_end' && { type: of.type }), view: 'check' }}
        >
          {t('open.toCheck')}
        </Link>
      </div>
    </Notice>
  )
}
