import type { ReportStanding } from '@markbook/shared/contract/reports'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { queryClient, refresh } from '../../api/queries.ts'
import { Notice } from '../../components/page.tsx'
import { type BookScope, standingQuery, useStanding } from './book-queries.ts'

const hashesOf = (standing: readonly ReportStanding[]): ReadonlyMap<string, string> =>
  new Map(standing.map(({ report_id, standing_hash }) => [report_id, standing_hash]))

/**
 * How report books stood when a dialog showed them, so that a person confirms only what they were shown. `isAsShown` compares that with how
 * they stand now; where some have changed, `notice` says so, everything is read again, and what is shown then counts.
 */
export function useShownStanding(of: BookScope, books: readonly { id: string }[]) {
  const standing = useStanding(of)
  const [shown, setShown] = useState<ReadonlyMap<string, string> | null>(null)
  const [changed, setChanged] = useState(0)
  // What the page behind has read may be old.
  if (!shown && standing.data && standing.isFetchedAfterMount) setShown(hashesOf(standing.data))
  const isAsShown = async (): Promise<boolean> => {
    const now = hashesOf(await queryClient.fetchQuery(standingQuery(of)))
    const count = books.filter(({ id }) => now.get(id) !== shown?.get(id)).length
    setChanged(count)
    if (count === 0) return true
    await refresh(['reports', 'calculations', 'classes'])
    setShown(now)
    return false
  }
  const notice: ReactNode = changed > 0 ? <ChangedNotice count={changed} /> : null
  return { isReady: shown !== null, notice, isAsShown, hashOf: (id: string) => shown?.get(id) }
}

function ChangedNotice({ count }: { count: number }) {
  const { t } = useTranslation('reports')
  const top = useRef<HTMLDivElement>(null)
  // It stands above what was confirmed, and may be out of sight.
  useEffect(() => {
    top.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    <div ref={top}>
      <Notice tone="bad">{t('open.changed', { count })}</Notice>
    </div>
  )
}
