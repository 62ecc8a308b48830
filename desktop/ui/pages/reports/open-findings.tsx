import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { FailureNotice, Loading, Notice } from '../../components/page.tsx'
import type { BookScope, ListedBook } from './book-queries.ts'
import { findingKinds, findingsOfBooks } from './checks.ts'
import styles from './reports.module.css'
import { useFindings } from './use-findings.ts'

type Props = { of: BookScope; yearId: string; books: readonly Pick<ListedBook, 'student'>[] }

/** The findings about these books before they change status: the count of each kind, and a link to the check. */
export function OpenFindings({ of, yearId, books }: Props) {
  const { t } = useTranslation('reports')
  const { findings, error } = useFindings(of, yearId)
  if (error) return <FailureNotice failure={error} />
  if (!findings) return <Loading />
  const own = findingsOfBooks(findings, books)
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
