import type { Assessment } from '@markbook/shared/contract/assessments'
import { useEffect, useEffectEvent, useId, useMemo, useRef, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { readStored, writeStored } from '../../components/browser-storage.ts'
import { tellFailure } from '../../components/toasts.tsx'
import { nameInGrid } from '../../words/names.ts'
import { markText } from './cell-appearance.ts'
import { useInclusion, useTeacherNames } from './cell-details.tsx'
import {
  enlarged,
  type Grid,
  type GridMetrics,
  narrowMetrics,
  touchMetrics,
  useLayout,
  wideMetrics,
  widenFewColumns,
} from './grid-context.ts'
import { cellValueOf } from './model/cell-value.ts'
import { type CellAction, GridController, type GridHost } from './model/grid-controller.ts'
import { isTemporary } from './model/mark-queue.ts'
import type { MarkKey } from './model/mark-values.ts'
import type { CellPosition } from './model/navigation.ts'
import { GridSelection } from './model/selection.ts'
import type { RemoteChange, Sheet } from './model/sheet.ts'
import { StatusMessage } from './model/status-message.ts'
import type { RestoreAnswer } from './model/undo-commands.ts'
import { UndoHistory, type UndoStorage } from './model/undo-history.ts'
import { listenToTextScale, textScale } from './text-scale.ts'

/** The menu or dialog that is open over the grid. */
export type OpenDialog =
  | { is: 'menu' | CellAction; position: CellPosition }
  | { is: 'paste'; position: CellPosition; block: string[][] }
  | { is: 'assessment'; column: Assessment | null }
  | { is: 'fill' | 'columnHistory'; column: Assessment }
  | { is: 'import' }

export type GridHandle = ReturnType<typeof useGridHandle>

/** Creates the selection and controller of a sheet, and connects them with the page. */
export function useGridHandle(sheet: Sheet, isReadOnly: boolean, undoKey: string, onShow: (shown: OpenDialog) => void) {
  const root = useRef<HTMLDivElement>(null)
  const id = useId()
  const message = useMemo(() => new StatusMessage(), [])
  const announce = useAnnounce(sheet, message)
  const controller = useMemo(() => new GridController(sheet, new GridSelection(), new UndoHistory(undoIn(undoKey))), [sheet, undoKey])
  const { selection } = controller
  const grid = useMemo(
    (): Grid => ({ sheet, selection, controller, message, id, isReadOnly }),
    [sheet, selection, controller, message, id, isReadOnly],
  )
  const include = useInclusion(grid)
  const runAction = (action: CellAction, position: CellPosition) => {
    const saved = controller.savedAt(position)
    if (action === 'exclude' && saved?.is_excluded) void include(saved.id, null).catch(tellFailure)
    else if (action === 'explain' || (controller.idsAt(position) && (action === 'history' || !isReadOnly))) onShow({ is: action, position })
  }
  useEffect(() => {
    controller.isReadOnly = isReadOnly
    controller.host = {
      announce,
      openAt: (what, position) => (what === 'menu' ? onShow({ is: what, position }) : runAction(what, position)),
      previewPaste: (block, at) => onShow({ is: 'paste', block, position: at }),
      restore,
      focusGrid: () => root.current?.focus({ preventScroll: true }),
    }
  })
  useEffect(() => {
    const commit = () => controller.commitEdit(true)
    addEventListener('pagehide', commit)
    return () => removeEventListener('pagehide', commit)
  }, [controller])
  const goTo = (position: CellPosition) => {
    selection.moveTo(position)
    root.current?.focus()
  }
  return { grid, sizes: useSizes(useLayout(sheet).columns.length), root, runAction, goTo }
}

/** Stores the undo steps for this tab, so that they survive a reload. */
const undoIn = (key: string): UndoStorage => ({
  read: () => readStored(key, 'sessionStorage'),
  write: (text) => writeStored(key, text, 'sessionStorage'),
})

async function restore(gradeId: string): Promise<RestoreAnswer> {
  try {
    const [newest] = await client.history.list({ query: { entity: 'grade', id: gradeId, limit: 1 } })
    if (newest?.action !== 'delete') return 'changed'
    await client.history.undo({ params: { id: newest.id } })
    return 'done'
  } catch (failure) {
    if (isTemporary(failure)) return 'later'
    tellFailure(failure)
    return 'refused'
  }
}

/** Returns a function that shows messages in the line below the grid, so that nothing covers the cells. */
function useAnnounce(sheet: Sheet, status: StatusMessage): GridHost['announce'] {
  const { t } = useTranslation('marks')
  const teacherName = useTeacherNames()
  const showChanges = useEffectEvent((changes: RemoteChange[]) => {
    const [first] = changes
    if (changes.length !== 1 || !first) return status.show(t('newsMany', { count: changes.length }))
    const name = teacherName(first.mark?.updated_by ?? null) ?? t('somebody')
    status.show(t('newsOne', { ...namesOf(sheet, first), mark: markText(cellValueOf(first.mark)), name }))
  })
  useEffect(() => sheet.listenToRemoteChanges((changes) => showChanges(changes)), [sheet])
  return (message) => {
    const names = 'studentId' in message && namesOf(sheet, message)
    const mark = 'score' in message && { mark: markText(message.score) }
    status.show(t(message.key, { ...message, ...names, ...mark }))
  }
}

function namesOf(sheet: Sheet, mark: MarkKey) {
  const { pupil, column } = sheet.locate(mark)
  return { pupil: pupil ? nameInGrid(pupil) : '', title: column?.title ?? '' }
}

/** The sizes by the width of the window and the kind of pointer; the first query that matches counts. */
const SIZES: readonly (readonly [query: string, sizes: GridMetrics])[] = [
  ['(max-width: 640px)', narrowMetrics],
  ['(max-width: 999px), (pointer: coarse)', touchMetrics],
]
const listenToWindow = (listener: () => void) => {
  const lists = SIZES.map(([query]) => matchMedia(query))
  for (const list of lists) list.addEventListener('change', listener)
  return () => {
    for (const list of lists) list.removeEventListener('change', listener)
  }
}
const presentSizes = (): GridMetrics => SIZES.find(([query]) => matchMedia(query).matches)?.[1] ?? wideMetrics

function useSizes(columns: number): GridMetrics {
  const sizes = useSyncExternalStore(listenToWindow, presentSizes)
  const text = useSyncExternalStore(listenToTextScale, textScale)
  return useMemo(() => enlarged(widenFewColumns(sizes, columns), text), [sizes, columns, text])
}
