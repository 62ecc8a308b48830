import { useBlocker } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Actions } from '../../components/field.tsx'
import { sentenceOf } from '../../words/failure.ts'
import { editable } from '../../words/format.ts'
import styles from './marks.module.css'
import type { Place } from './model/moves.ts'
import type { Pending } from './model/pending.ts'
import type { Sheet } from './model/sheet.ts'
import { whatOf } from './unsaved.tsx'
import { useWorkplace } from './use-sheet.ts'

type Props = { sheet: Sheet; onShow: (place: Place) => void }

/** Warns before the page is left with something that is only here. What is on its way in this moment goes on by itself. */
export function LeavingWarning({ sheet, onShow }: Props) {
  const { queue } = useWorkplace()
  const stuck = () => stuckOf(queue.all())
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && stuck().length + sheet.mistakesThere() > 0,
    enableBeforeUnload: () => queue.all().length + sheet.mistakesThere() > 0,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return <Question sheet={sheet} onShow={onShow} onStay={blocker.reset} onLeave={blocker.proceed} />
}

const stuckOf = (all: readonly Pending[]) => all.filter(({ state }) => state !== 'fresh' && state !== 'sending')

/** So many are read one by one. */
const READ = 8

/** Whose marks are not saved, why, and what becomes of them. */
function Question({ sheet, onShow, onStay, onLeave }: Props & { onStay: () => void; onLeave: () => void }) {
  const { t } = useTranslation('marks')
  const { queue } = useWorkplace()
  const [[mistyped, stuck]] = useState(() => [sheet.mistyped(), stuckOf(queue.all())] as const)
  const reasonOf = useReason()
  const lines = [
    ...mistyped.map((each) => ({
      ...each,
      why: `${each.mistake.text}. ${t(`wrong.${each.mistake.reason}`, { max: maxOf(sheet, each) })}`,
    })),
    ...stuck.map((each) => ({ ...each, why: `${editable(each.score)}, ${reasonOf(each)}` })),
  ]
  const stay = () => {
    onStay()
    const [first] = lines
    const place = first && whatOf(sheet, first).place
    if (place && place.row >= 0 && place.col >= 0) requestAnimationFrame(() => onShow(place))
  }
  const lead = [
    mistyped.length > 0 && t('leave.mistakes', { count: mistyped.length }),
    stuck.length > 0 && t('leave.stuck', { count: stuck.length }),
  ]
  return (
    <Dialog open title={t('leave.title')} lead={lead.filter(Boolean).join(' ')} onClose={stay}>
      <ul className={styles['stuck']}>
        {lines.slice(0, READ).map((each) => (
          <li key={`${each.assessmentId} ${each.studentId}`}>
            <strong>{whatOf(sheet, each).name || t('leave.elsewhere')}</strong>: {each.why}
          </li>
        ))}
        {lines.length > READ && <li>{t('leave.more', { count: lines.length - READ })}</li>}
      </ul>
      <Actions>
        <Button look="primary" onClick={stay}>
          {t('leave.stay')}
        </Button>
        <Button onClick={onLeave}>{t('leave.go')}</Button>
      </Actions>
    </Dialog>
  )
}

const maxOf = (sheet: Sheet, mark: { assessmentId: string; studentId: string }) => editable(whatOf(sheet, mark).max)

/** Why a mark has not arrived, in words. */
function useReason(): (pending: Pending) => string {
  const { t } = useTranslation('marks')
  const { queue } = useWorkplace()
  return ({ state, score, theirs, message }) => {
    if (state === 'conflict')
      return t('state.conflict', { mine: editable(score), theirs: theirs == null ? t('unsaved.noMark') : editable(theirs) })
    if (state === 'refused') return t('state.refused', { message: message ?? '' })
    const failure = queue.failure()
    return state === 'waiting' && failure
      ? `${t('state.waiting')}: ${sentenceOf(failure)}`
      : t(`state.${state === 'waiting' ? state : 'offered'}`)
  }
}
