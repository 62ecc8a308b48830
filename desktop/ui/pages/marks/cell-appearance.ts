import type { Assessment } from '@markbook/shared/contract/assessments'
import i18next from 'i18next'
import { editable } from '../../words/format.ts'
import { type CellValue, cellValueOf } from './model/cell-value.ts'
import type { PendingMark } from './model/pending-mark.ts'
import type { Cell } from './model/sheet.ts'
import { valueText } from './model/value-text.ts'

type Look = 'plain' | 'empty' | 'wrong' | 'conflict' | 'refused' | 'unsaved' | 'reviewed' | 'waiting' | 'changed'

export const cellSigns = { unsaved: '●', waiting: '↑', excluded: '⊘', reviewed: '?', conflict: '≠', wrong: '!' } as const

const lookOf = ({ saved, pending, invalid, isInReview, isRecentChange }: Cell): Look => {
  if (invalid) return 'wrong'
  if (pending?.state === 'conflict') return 'conflict'
  if (pending?.state === 'refused') return 'refused'
  if (pending) return 'unsaved'
  if (!saved) return 'empty'
  if (isInReview) return 'reviewed'
  return isRecentChange ? 'changed' : saved.is_waiting ? 'waiting' : 'plain'
}

const signOf: Partial<Record<Look, string>> = {
  wrong: cellSigns.wrong,
  refused: cellSigns.wrong,
  conflict: cellSigns.conflict,
  unsaved: cellSigns.unsaved,
  reviewed: cellSigns.reviewed,
  waiting: cellSigns.waiting,
}

/** How a cell is drawn: a sign and a text for the most important of its states. */
export type CellAppearance = ReturnType<typeof appearanceOf>

export function appearanceOf(cell: Cell, column: Assessment) {
  const { saved, pending, invalid } = cell
  const look = lookOf(cell)
  const isLeftOut = saved?.is_excluded ?? false
  const isDone = pending === null || pending.state === 'conflict'
  return {
    look,
    sign: [signOf[look] ?? '', isLeftOut ? cellSigns.excluded : ''].join(''),
    /** An invalid entry is shown instead of the mark. */
    text: invalid?.text ?? null,
    value: isDone ? cellValueOf(saved) : pending.score,
    /** The states, for screen readers. */
    hidden: describeCell(cell, column)
      .map((state) => `, ${state}`)
      .join(''),
    hasRemark: Boolean(pending?.remarks ?? saved?.remarks),
    isLeftOut: isLeftOut || column.is_excluded,
  }
}

/** A mark as it is typed; the words for «no mark» where there is none. */
export const markText = (value: CellValue | undefined) => (value == null ? i18next.t('unsaved.noMark', { ns: 'marks' }) : valueText(value))

function describePending({ state, score, theirs, message }: PendingMark): string {
  const t = i18next.getFixedT(null, 'marks')
  if (state === 'conflict') return t('state.conflict', { mine: markText(score), theirs: markText(theirs) })
  if (state === 'refused') return t('state.refused', { message: message ?? '' })
  return t(`state.${state === 'sending' ? 'fresh' : state}`)
}

/** All states of a cell except its mark, as texts. Where the mark is stored is shown below the grid. */
export function describeCell({ saved, pending, invalid, isInReview, isRecentChange }: Cell, { max_score }: Assessment): string[] {
  // Most cells have no state; looking up words would take most of a cell's time.
  if (saved && !pending && !invalid && !saved.is_excluded && !isInReview && !isRecentChange) return []
  const t = i18next.getFixedT(null, 'marks')
  const texts: string[] = []
  if (invalid) texts.push(t(`wrong.${invalid.reason}`, { max: editable(max_score) }), t('notSent'))
  if (pending) texts.push(describePending(pending))
  if (!saved && !pending && !invalid) texts.push(t('none'))
  if (saved?.is_excluded) texts.push(saved.exclusion_reason ? t('leftOutBecause', { reason: saved.exclusion_reason }) : t('leftOut'))
  if (isInReview) texts.push(t('state.reviewed'))
  if (isRecentChange) texts.push(t('state.news'))
  return texts
}
