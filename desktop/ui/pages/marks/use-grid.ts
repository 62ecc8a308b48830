import { type RefObject, useEffect, useId, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { useToasts } from '../../components/toasts.tsx'
import { editable } from '../../words/format.ts'
import { useInclusion } from './cell-dialogs.tsx'
import { useTeacherNames } from './cell-line.tsx'
import { type Grid, narrow, roomier, type Sizes, useLayout, wide } from './grid-parts.ts'
import { Cursor } from './model/cursor.ts'
import { type Around, GridControl, type Said } from './model/grid-control.ts'
import type { Place } from './model/moves.ts'
import { Saying } from './model/saying.ts'
import type { News, Sheet } from './model/sheet.ts'
import type { Shown } from './sheet-dialogs.tsx'

export type GridOf = {
  grid: Grid
  sizes: Sizes
  root: RefObject<HTMLDivElement | null>
  act: (action: 'remark' | 'exclude' | 'history', place: Place) => void
  show: (place: Place) => void
}

/** The grid of a sheet: where its keyboard is, and what it asks of the page. */
export function useGridOf(sheet: Sheet, isReadOnly: boolean, onShow: (shown: Shown) => void): GridOf {
  const root = useRef<HTMLDivElement>(null)
  const id = useId()
  const saying = useMemo(() => new Saying((ms, then) => void setTimeout(then, ms)), [])
  const say = useSaying(sheet, saying)
  const around = useRef<Around | null>(null)
  const grid = useMemo((): Grid => {
    const cursor = new Cursor()
    const now = () => around.current as Around
    const later: Around = {
      say: (...asked) => now().say(...asked),
      ask: (...asked) => now().ask(...asked),
      paste: (...asked) => now().paste(...asked),
      takeBack: (...asked) => now().takeBack(...asked),
      focus: () => now().focus(),
      written: editable,
    }
    return { sheet, cursor, control: new GridControl(sheet, cursor, later), saying, id }
  }, [sheet, saying, id])
  const { control, cursor } = grid
  const include = useInclusion(grid)
  const { tellFailure } = useToasts()
  const act: GridOf['act'] = (action, place) => {
    const ids = control.idsAt(place)
    const saved = ids && sheet.cell(ids.assessmentId, ids.studentId).saved
    if (action === 'exclude' && saved?.is_excluded) void include(saved.id, null).catch(tellFailure)
    else if (ids && (action === 'history' || !isReadOnly)) onShow({ is: action, place })
  }
  useEffect(() => {
    control.isReadOnly = isReadOnly
    around.current = {
      say,
      ask: (what, place) => (what === 'menu' || what === 'column' ? onShow({ is: what, place }) : act(what, place)),
      paste: (block, at) => onShow({ is: 'paste', block, place: at }),
      takeBack: (gradeId) =>
        takeBack(gradeId).catch((failure) => {
          tellFailure(failure)
          return false
        }),
      focus: () => root.current?.focus({ preventScroll: true }),
      written: editable,
    }
  })
  const show = (place: Place) => {
    cursor.go(place)
    root.current?.focus()
  }
  return { grid, sizes: useSizes(useLayout(sheet).columns.length), root, act, show }
}

/** That a mark was recorded at all is taken back; false where it was changed since. */
async function takeBack(gradeId: string): Promise<boolean> {
  const [newest] = await client.history.list({ query: { entity: 'grade', id: gradeId, limit: 1 } })
  if (newest?.action !== 'create') return false
  await client.history.undo({ params: { id: newest.id } })
  return true
}

/** What a key has done, and what others have changed, in the line under the grid: nothing pops up over what somebody works at. */
function useSaying(sheet: Sheet, saying: Saying): Around['say'] {
  const { t } = useTranslation('marks')
  const named = useTeacherNames()
  const sentence = useRef<(news: News[]) => string>(() => '')
  useEffect(() => {
    sentence.current = (news) => {
      const [first] = news
      if (news.length !== 1 || !first) return t('newsMany', { count: news.length })
      return t('newsOne', {
        ...namesOf(sheet, first),
        mark: editable(first.mark?.score ?? 0),
        name: named(first.mark?.updated_by ?? null) ?? t('somebody'),
      })
    }
  })
  useEffect(() => sheet.listenToNews((news) => saying.say(sentence.current(news))), [sheet, saying])
  return (asked) => saying.say(sentenceOf(asked))

  function sentenceOf(asked: Said): string {
    if (asked.word === 'copied') return t('copied', { count: asked.count })
    if (asked.word === 'undone') return t('undo.done', { count: asked.count })
    if (asked.word === 'undoneOne') {
      return t('undo.doneOne', { ...namesOf(sheet, asked), mark: asked.score === null ? t('unsaved.noMark') : editable(asked.score) })
    }
    if (asked.word === 'undoNone') return t('undo.none')
    if (asked.word === 'undoChanged') return t('undo.changed')
    return t(asked.word)
  }
}

function namesOf({ pupils, columns }: Sheet, { assessmentId, studentId }: { assessmentId: string; studentId: string }) {
  const pupil = pupils.find(({ id }) => id === studentId)
  const title = columns.find(({ id }) => id === assessmentId)?.title ?? ''
  return { pupil: pupil ? `${pupil.last_name} ${pupil.first_name}` : '', title }
}

const NARROW = '(max-width: 640px)'
function useSizes(columns: number): Sizes {
  const [isNarrow, setNarrow] = useState(() => matchMedia(NARROW).matches)
  useEffect(() => {
    const list = matchMedia(NARROW)
    const change = () => setNarrow(list.matches)
    list.addEventListener('change', change)
    return () => list.removeEventListener('change', change)
  }, [])
  return useMemo(() => roomier(isNarrow ? narrow : wide, columns), [isNarrow, columns])
}
