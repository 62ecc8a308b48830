import type { Assessment } from '@markbook/shared/contract/assessments'
import i18next from 'i18next'
import { editable } from '../../words/format.ts'
import type { Cell } from './model/sheet.ts'

/** How a cell looks: what matters most of it, as a sign and in words. */
export type Signs = {
  look: 'plain' | 'empty' | 'wrong' | 'conflict' | 'refused' | 'unsaved' | 'reviewed' | 'waiting' | 'news'
  sign: string
  /** In place of a mark: what was mistyped. */
  text: string | null
  score: number | null
  /** For who hears the page. */
  hidden: string
  hasRemark: boolean
  isLeftOut: boolean
}

export const signs = { unsaved: '●', waiting: '↑', excluded: '⊘', reviewed: '?', conflict: '≠', wrong: '!' } as const

const lookOf = ({ saved, pending, mistake, isReviewed, isNews }: Cell): Signs['look'] => {
  if (mistake) return 'wrong'
  if (pending?.state === 'conflict') return 'conflict'
  if (pending?.state === 'refused') return 'refused'
  if (pending) return 'unsaved'
  if (!saved) return 'empty'
  if (isReviewed) return 'reviewed'
  return isNews ? 'news' : saved.is_waiting ? 'waiting' : 'plain'
}

const signOf: Record<Signs['look'], string> = {
  plain: '',
  empty: '',
  news: '',
  wrong: signs.wrong,
  refused: signs.wrong,
  conflict: signs.conflict,
  unsaved: signs.unsaved,
  reviewed: signs.reviewed,
  waiting: signs.waiting,
}

export function signsOf(cell: Cell, column: Assessment): Signs {
  const { saved, pending, mistake } = cell
  const look = lookOf(cell)
  const isLeftOut = saved?.is_excluded ?? false
  const isDone = pending === null || pending.state === 'conflict'
  return {
    look,
    sign: [signOf[look], isLeftOut ? signs.excluded : ''].join(''),
    text: mistake?.text ?? null,
    score: isDone ? (saved?.score ?? null) : pending.score,
    hidden: statesOf(cell, column)
      .map((state) => `, ${state}`)
      .join(''),
    hasRemark: Boolean(pending?.remarks ?? saved?.remarks),
    isLeftOut: isLeftOut || column.is_excluded,
  }
}

/** Everything that is to be said of a mark besides its number; where it is on its way stands in the line above the grid. */
export function statesOf({ saved, pending, mistake, isReviewed, isNews }: Cell, { max_score }: Assessment): string[] {
  const t = i18next.getFixedT(null, 'marks')
  const said: string[] = []
  if (mistake) said.push(t(`wrong.${mistake.reason}`, { max: editable(max_score) }), t('notSent'))
  if (pending?.state === 'conflict') {
    said.push(
      t('state.conflict', {
        mine: editable(pending.score),
        theirs: pending.theirs == null ? t('unsaved.noMark') : editable(pending.theirs),
      }),
    )
  } else if (pending?.state === 'refused') said.push(t('state.refused', { message: pending.message ?? '' }))
  else if (pending) said.push(t(`state.${pending.state === 'sending' ? 'fresh' : pending.state}`))
  if (!saved && !pending && !mistake) said.push(t('none'))
  if (saved?.is_excluded) said.push(saved.exclusion_reason ? t('leftOutBecause', { reason: saved.exclusion_reason }) : t('leftOut'))
  if (isReviewed) said.push(t('state.reviewed'))
  if (isNews) said.push(t('state.news'))
  return said
}
