import { useTranslation } from 'react-i18next'
import { Notice } from '../../components/page.tsx'
import { GenerateButton } from './generate-button.tsx'
import { isBehind } from './standings.ts'
import type { OfBooks } from './use-books.ts'
import { useStanding } from './use-standing.ts'

/**
 * Marks were changed after some of the books were made: how many, and, where the button does not stand beside it anyway, what brings them up
 * to date. Nothing where all are of now.
 */
export function BehindNotice({ of, isBesideButton = false }: { of: OfBooks; isBesideButton?: boolean }) {
  const { t } = useTranslation('reports')
  const standing = useStanding(of)
  const behind = standing.data?.filter(isBehind).length ?? 0
  if (behind === 0) return null
  return (
    <Notice tone="warn">
      <span>{t('behind.books', { count: behind })}</span>
      {!isBesideButton && <GenerateButton of={of} count={standing.data?.length ?? 0} />}
    </Notice>
  )
}
