import type { Conflict } from '@markbook/shared/contract/replication.rows'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import layout from '../../components/layout.module.css'
import { Notice } from '../../components/page.tsx'
import type { HistoryEntity } from '../history/history-panel.tsx'

/** Entities that can be in conflict and have a page of history. */
const WITH_HISTORY: readonly string[] = [
  'grade',
  'assessment',
  'student',
  'term',
  'subject',
  'student_group',
  'report_book',
  'report_book_entry',
]

/** A link to the history of a conflict's row; renders nothing for an entity without such a page. */
export function HistoryLink({ of: { entity, row_id } }: { of: Conflict }) {
  const { t } = useTranslation('sync')
  if (!WITH_HISTORY.includes(entity)) return null
  return (
    <Link to="/history" search={{ entity: entity as HistoryEntity, id: row_id }}>
      {t('toHistory')}
    </Link>
  )
}

/**
 * The conflicts that disappeared from this page without a decision on it, the latest first. `decides` notes the id of a conflict that
 * is decided here, before the request; with `isRefused` it takes that back.
 */
export function useDecidedElsewhere(open: readonly Conflict[] | undefined) {
  const before = useRef<readonly Conflict[]>([])
  const own = useRef(new Set<string>())
  const [gone, setGone] = useState<readonly Conflict[]>([])
  useEffect(() => {
    if (!open) return
    const ids = new Set(open.map(({ id }) => id))
    const others = before.current.filter(({ id }) => !ids.has(id) && !own.current.has(id))
    before.current = open
    if (others.length > 0) setGone((known) => [...others, ...known])
  }, [open])
  const decides = (id: string, isRefused = false) => void (isRefused ? own.current.delete(id) : own.current.add(id))
  return { gone, decides }
}

/** Says which conflicts were decided elsewhere, since they have just disappeared from the page. */
export const DecidedElsewhere = ({ gone }: { gone: readonly Conflict[] }) => {
  const { t } = useTranslation('sync')
  const [last, ...others] = gone
  if (!last) return null
  return (
    <Notice>
      <span>
        {t('decidedElsewhere', { what: last.where || t('conflicts') })}{' '}
        {others.length > 0 && t('decidedElsewhereToo', { count: others.length })}
      </span>
      <span className={layout['row']}>
        <HistoryLink of={last} />
      </span>
    </Notice>
  )
}
