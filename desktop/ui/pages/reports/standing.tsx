import { useTranslation } from 'react-i18next'
import { Badge } from '../../components/page.tsx'
import type { ListedClass } from '../results/class-choice.tsx'
import type { ListedBook } from './kept-books.ts'
import styles from './reports.module.css'

export type Group = Pick<ListedClass, 'id' | 'name'>

const statuses = ['draft', 'published', 'sent_to_ministry'] as const
export const tones = { draft: 'info', published: 'good', sent_to_ministry: undefined } as const

/** How many are where. */
export function Standing({ books }: { books: readonly ListedBook[] }) {
  const { t } = useTranslation('reports')
  return (
    <p className={styles['standing']}>
      {statuses.map((status) => {
        const count = books.filter((book) => book.status === status).length
        return (
          <Badge key={status} tone={count > 0 ? tones[status] : undefined}>
            {t(`standing.${status}`, { count })}
          </Badge>
        )
      })}
    </p>
  )
}
