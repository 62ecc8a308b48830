import type { Assessment } from '@markbook/shared/contract/assessments'
import type { Dispatch, SetStateAction } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Actions } from '../../components/field.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { AssessmentDialog } from '../assessments/assessment-dialog.tsx'
import { HistoryPanel } from '../history/history-panel.tsx'
import { ExcludeDialog, RemarkDialog } from './cell-dialogs.tsx'
import { FillDialog } from './fill-dialog.tsx'
import { CellMenu, ColumnMenu } from './grid-menus.tsx'
import { ImportMarks } from './import-marks.tsx'
import type { Place } from './model/moves.ts'
import { PasteDialog } from './paste-dialog.tsx'
import type { GridOf } from './use-grid.ts'

/** What is open over the grid. */
export type Shown =
  | { is: 'menu' | 'column' | 'remark' | 'exclude' | 'history'; place: Place }
  | { is: 'paste'; place: Place; block: string[][] }
  | { is: 'assessment'; column: Assessment | null }
  | { is: 'fill' | 'columnHistory'; column: Assessment }
  | { is: 'import' }

type Props = {
  parts: GridOf
  shown: Shown | null
  onShow: Dispatch<SetStateAction<Shown | null>>
  place: { classId: string; subjectId: string; termId: string }
  isReadOnly: boolean
}

export function SheetDialogs({ parts: { grid, root, act }, shown, onShow, place, isReadOnly }: Props) {
  const { tell } = useToasts()
  const { t } = useTranslation('marks')
  const close = () => onShow(null)
  /** A menu closes after what was chosen in it has opened. */
  const closeMenu = () => onShow((now) => (now?.is === 'menu' || now?.is === 'column' ? null : now))
  /** The keyboard goes on in the grid once the dialog has gone. */
  const closeToGrid = () => {
    close()
    setTimeout(() => root.current?.focus({ preventScroll: true }), 0)
  }
  const column = shown?.is === 'column' ? grid.sheet.columns[shown.place.col] : undefined
  const copy = async () => {
    const text = grid.control.copied()
    // Over plain http a page has no clipboard of its own: then only Ctrl+C copies.
    await navigator.clipboard?.writeText(text).catch(() => tell(t('copy')))
  }
  switch (shown?.is) {
    case 'menu':
      return (
        <CellMenu
          grid={grid}
          root={root}
          place={shown.place}
          isReadOnly={isReadOnly}
          onClose={closeMenu}
          onAction={(action, at) => {
            close()
            if (action === 'copy') void copy()
            else if (action === 'paste') onShow({ is: 'paste', place: at, block: [] })
            else act(action, at)
          }}
        />
      )
    case 'column':
      return column ? (
        <ColumnMenu
          grid={grid}
          root={root}
          place={shown.place}
          column={column}
          isReadOnly={isReadOnly}
          onClose={closeMenu}
          onAction={(action, chosen) =>
            onShow(
              action === 'change'
                ? { is: 'assessment', column: chosen }
                : { is: action === 'fill' ? 'fill' : 'columnHistory', column: chosen },
            )
          }
        />
      ) : null
    case 'remark':
      return <RemarkDialog grid={grid} place={shown.place} onClose={closeToGrid} />
    case 'exclude':
      return <ExcludeDialog grid={grid} place={shown.place} onClose={closeToGrid} />
    case 'paste':
      return <PasteDialog grid={grid} at={shown.place} block={shown.block} onClose={closeToGrid} />
    case 'fill':
      return <FillDialog grid={grid} column={shown.column} onClose={closeToGrid} />
    case 'assessment':
      return (
        <AssessmentDialog
          assessment={shown.column}
          termId={place.termId}
          subjectId={place.subjectId}
          classId={place.classId}
          onClose={closeToGrid}
        />
      )
    case 'columnHistory':
      return <PastOf title={shown.column.title} entity="assessment" id={shown.column.id} onClose={closeToGrid} />
    case 'history':
      return <PastOfMark grid={grid} place={shown.place} onClose={closeToGrid} />
    case 'import':
      return <ImportMarks place={place} onClose={close} />
    default:
      return null
  }
}

function PastOfMark({ grid: { control, sheet }, place, onClose }: { grid: GridOf['grid']; place: Place; onClose: () => void }) {
  const ids = control.idsAt(place)
  const pupil = sheet.pupils[place.row]
  const saved = ids ? sheet.cell(ids.assessmentId, ids.studentId).saved : null
  const title = `${pupil?.first_name ?? ''} ${pupil?.last_name ?? ''}, ${sheet.columns[place.col]?.title ?? ''}`
  return <PastOf title={title} entity="grade" id={saved?.id ?? null} onClose={onClose} />
}

function PastOf({ title, entity, id, onClose }: { title: string; entity: 'grade' | 'assessment'; id: string | null; onClose: () => void }) {
  const { t } = useTranslation(['history', 'app'])
  return (
    <Dialog open wide title={t('of', { what: title })} onClose={onClose}>
      {id === null ? <p>{t('noMark')}</p> : <HistoryPanel entity={entity} id={id} />}
      <Actions>
        <Button onClick={onClose}>{t('app:action.close')}</Button>
      </Actions>
    </Dialog>
  )
}
