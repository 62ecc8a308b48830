import type { LiveMark } from '@markbook/shared/contract/grades'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { editable, moment } from '../../words/format.ts'
import { statesOf } from './cell-signs.ts'
import { type Grid, useLayout } from './grid-parts.ts'
import styles from './marks.module.css'
import type { Cursor } from './model/cursor.ts'
import type { Place } from './model/moves.ts'
import type { Cell } from './model/sheet.ts'
import { placeOf } from './place-of.ts'
import { useAbove } from './use-sheet.ts'

export type CellAction = 'remark' | 'exclude' | 'history'
type Props = {
  grid: Grid
  isReadOnly: boolean
  onAction: (action: CellAction, place: Place) => void
}

/** Names of the school's teachers by id. */
export function useTeacherNames(): (id: string | null) => string | null {
  const teachers = useQuery({ ...ask('classes', 'schoolTeachers'), staleTime: 600_000 })
  return (id) => {
    const found = teachers.data?.find((teacher) => teacher.id === id)
    return found ? [found.first_name, found.last_name].filter(Boolean).join(' ') : null
  }
}

/** All that there is to say of the chosen mark, above the grid: whose, how much, how it counts, where it is, who wrote it. */
export function CellLine({ grid, isReadOnly, onAction }: Props) {
  const { t } = useTranslation('marks')
  const { cursor, control, sheet } = grid
  useLayout(sheet)
  const at = useSettled(cursor)
  const ids = control.idsAt(at)
  const pupil = sheet.pupils[at.row]
  const column = sheet.columns[at.col]
  return (
    <section className={styles['line']} aria-label={t('line.label')}>
      <p className={styles['lineText']}>
        {ids && pupil && column ? (
          <Described grid={grid} studentId={pupil.id} assessmentId={column.id} name={`${pupil.last_name} ${pupil.first_name}`} at={at} />
        ) : (
          t('line.empty')
        )}
      </p>
      <div className={styles['lineActions']}>
        {!isReadOnly && (
          <>
            <Button size="small" disabled={!ids} title="Alt+R" onClick={() => onAction('remark', at)}>
              {t('remark.action')}
            </Button>
            <Button size="small" disabled={!ids} title="Alt+X" onClick={() => onAction('exclude', at)}>
              {ids && sheet.cell(ids.assessmentId, ids.studentId).saved?.is_excluded ? t('exclude.include') : t('exclude.action')}
            </Button>
          </>
        )}
        <Button size="small" disabled={!ids} title="Alt+H" onClick={() => onAction('history', at)}>
          {t('history')}
        </Button>
      </div>
    </section>
  )
}

/** How long the keyboard must rest before the line follows: the key is painted first. */
const REST = 60

/** Where the keyboard rests. */
function useSettled(cursor: Cursor): Place {
  const [at, setAt] = useState(cursor.at)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const follow = () => {
      clearTimeout(timer)
      timer = setTimeout(() => setAt(cursor.at), REST)
    }
    follow()
    const stop = cursor.subscribe(follow)
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [cursor])
  return at
}

type Described = { grid: Grid; studentId: string; assessmentId: string; name: string; at: Place }

function Described({ grid: { sheet }, studentId, assessmentId, name, at }: Described) {
  const { t } = useTranslation('marks')
  const named = useTeacherNames()
  const above = useAbove()
  const cell = useSyncExternalStore(
    (ear) => sheet.listenToCell(assessmentId, studentId)(ear),
    () => sheet.cell(assessmentId, studentId),
  )
  const byWhom = ({ updated_by, updated_at }: LiveMark) => {
    const when = moment(updated_at)
    return updated_by === null ? when : t('line.by', { name: named(updated_by) ?? t('somebody'), when })
  }
  const column = sheet.columns[at.col]
  if (!column) return null
  const { saved, pending } = cell
  const score = pending && pending.state !== 'conflict' ? pending.score : (saved?.score ?? null)
  const parts = statesOf(cell, column)
  if (saved && !pending) parts.push(t(`state.${placeOf(saved, above)}`))
  if (saved && !pending) parts.push(byWhom(saved))
  const remark = remarkOf(cell)
  if (remark) parts.push(t('line.remark', { remark }))
  return (
    <>
      <strong>
        {name}, {column.title}
        {score === null ? '' : `: ${editable(score)} / ${editable(column.max_score)}`}
      </strong>
      {parts.map((part) => (
        <span key={part}>{part}</span>
      ))}
      {saved && cell.isReviewed && <Undecided gradeId={saved.id} />}
    </>
  )
}

/** What another server has in place of this mark, and the way to where it is decided. */
function Undecided({ gradeId }: { gradeId: string }) {
  const { t } = useTranslation('marks')
  const conflicts = useQuery(ask('replication', 'conflicts', { query: { status: 'open' } }))
  const found = conflicts.data?.find(({ entity, row_id }) => entity === 'grade' && row_id === gradeId)
  const score = found?.kept?.['score']
  return (
    <span>
      {typeof score === 'number' && found && `${t('line.other', { mark: editable(score), node: found.node })} `}
      <Link to="/sync/conflicts">{t('line.decide')}</Link>
    </span>
  )
}

/** As it stands or is on its way. */
export const remarkOf = ({ saved, pending }: Cell): string => (pending?.remarks === undefined ? saved?.remarks : pending.remarks) ?? ''
