import { Menu } from '@base-ui/react/menu'
import type { Assessment } from '@markbook/shared/contract/assessments'
import { type ComponentProps, type Dispatch, type ReactNode, type RefObject, type SetStateAction, useContext, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Closing } from '../../components/closing.ts'
import { copyText } from '../../components/copy-text.ts'
import { Dialog, FormDialog, InfoDialog } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { lazyDialog } from '../../components/lazy-part.tsx'
import { Notice } from '../../components/page.tsx'
import menu from '../../frame/frame.module.css'
import { editable } from '../../words/format.ts'
import { AssessmentDialog } from '../assessments/assessment-dialog.tsx'
import { HistoryPanel } from '../history/history-panel.tsx'
import { ExcludeDialog, RemarkDialog } from './cell-details.tsx'
import { cellId, type Grid } from './grid-context.ts'
import type { CellAction } from './model/grid-controller.ts'
import type { CellPosition } from './model/navigation.ts'
import { parseMark } from './model/parse-mark.ts'
import type { SheetScope } from './model/pending-mark-storage.ts'
import { PasteDialog } from './paste-dialog.tsx'
import type { GridHandle, OpenDialog } from './use-grid.ts'

type Props = {
  handle: GridHandle
  shown: OpenDialog | null
  onShow: Dispatch<SetStateAction<OpenDialog | null>>
  scope: SheetScope
  /** The class or the teaching set of the sheet. */
  group: { id: string; name: string }
  of: Pick<ComponentProps<typeof FigurePanel>, 'term' | 'subject' | 'rules'>
}

/* Loaded when they are first opened. */
const FigurePanel = lazyDialog(async () => (await import('./figure-panel.tsx')).FigurePanel)
const ImportMarks = lazyDialog(async () => (await import('../imports/import-marks.tsx')).ImportMarks)

export function SheetDialogs(props: Props) {
  const { handle, shown, onShow } = props
  const close = () => {
    onShow(null)
    // The grid gets the focus after the dialog has closed.
    if (shown?.is !== 'import') setTimeout(() => handle.root.current?.focus({ preventScroll: true }), 0)
  }
  return (
    <Closing value={close}>
      <OpenDialogOrMenu {...props} />
    </Closing>
  )
}

function OpenDialogOrMenu({ handle: { grid, root, runAction }, shown, onShow, scope, group, of }: Props) {
  const { t } = useTranslation(['marks', 'history'])
  // A menu closes after the dialog of the chosen item has opened, which must stay open.
  const closeMenu = () => onShow((now) => (now?.is === 'menu' ? null : now))
  const menuProps = { grid, root, onClose: closeMenu }
  const { sheet } = grid
  const copy = async () => grid.controller.block.tellCopied(await copyText(grid.controller.block.copy()))
  switch (shown?.is) {
    case 'menu': {
      const column = sheet.columns[shown.position.col]
      if (shown.position.row < 0) {
        return column ? <ColumnMenu {...menuProps} position={shown.position} column={column} onShow={onShow} /> : null
      }
      return (
        <CellMenu
          {...menuProps}
          position={shown.position}
          onAction={(action, at) => {
            onShow(null)
            if (action === 'copy') void copy()
            else if (action === 'paste') onShow({ is: 'paste', position: grid.controller.block.start(), block: [] })
            else runAction(action, at)
          }}
        />
      )
    }
    case 'remark':
      return <RemarkDialog grid={grid} position={shown.position} />
    case 'exclude':
      return <ExcludeDialog grid={grid} position={shown.position} />
    case 'paste':
      return <PasteDialog grid={grid} at={shown.position} block={shown.block} />
    case 'fill':
      return <FillDialog grid={grid} column={shown.column} />
    case 'assessment':
      return (
        <AssessmentDialog
          assessment={shown.column}
          termId={scope.termId}
          subjectId={scope.subjectId}
          classId={scope.isSet ? null : scope.classId}
          set={scope.isSet ? group : null}
          onAdded={(id) => grid.controller.begin(id)}
        />
      )
    case 'columnHistory':
      return (
        <InfoDialog wide title={t('history:of', { what: shown.column.title })}>
          <HistoryPanel entity="assessment" id={shown.column.id} />
        </InfoDialog>
      )
    case 'history':
    case 'explain':
      return <FigurePanel {...of} grid={grid} position={shown.position} isHistory={shown.is === 'history'} />
    case 'import':
      return <ImportMarks scope={scope} />
    default:
      return null
  }
}

/** Enters one mark into all empty cells of an assessment. */
function FillDialog({ grid: { sheet, controller }, column }: { grid: Grid; column: Assessment }) {
  const { t } = useTranslation('marks')
  const close = useContext(Closing)
  const [text, setText] = useState('')
  const col = sheet.columns.findIndex(({ id }) => id === column.id)
  const empty = controller.emptyCells(col)
  const typed = parseMark(text, column.max_score, sheet.codes)
  const fill = () => {
    if (typed.kind !== 'mark') return
    // Read at this moment: marks may have arrived since the dialog was rendered.
    controller.enterMarks(controller.emptyCells(col).map((position) => ({ ...position, score: typed.score })))
    close?.()
  }
  const title = t('fillIn.title', { title: column.title })
  if (empty.length === 0)
    return (
      <Dialog title={title}>
        <Notice tone="good">{t('fillIn.full')}</Notice>
      </Dialog>
    )
  return (
    <FormDialog title={title} action={t('fillIn.save')} disabled={typed.kind !== 'mark'} form={{ send: fill }}>
      <p>{t('fillIn.lead', { count: empty.length })}</p>
      <TextField
        label={t('fillIn.label')}
        hint={t('max', { max: editable(column.max_score) })}
        inputMode="decimal"
        value={text}
        error={typed.kind === 'wrong' ? t(`wrong.${typed.reason}`, { max: editable(column.max_score) }) : undefined}
        onChange={({ target }) => setText(target.value)}
      />
    </FormDialog>
  )
}

type AtCell = { grid: Grid; position: CellPosition; root: RefObject<HTMLDivElement | null>; onClose: () => void }

/** A menu at a cell. The grid gets the focus when it closes. */
function MenuAtCell({ grid, position, root, onClose, label, children }: AtCell & { label: string; children: ReactNode }) {
  return (
    <Menu.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Menu.Portal>
        <Menu.Positioner
          anchor={() => document.getElementById(cellId(grid.id, position.row, position.col))}
          align="start"
          style={{ zIndex: 10 }}
        >
          <Menu.Popup className={`${layout['box']} ${menu['menu']}`} aria-label={label} finalFocus={root}>
            {children}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

type CellMenuProps = AtCell & { onAction: (action: CellAction | 'copy' | 'paste', position: CellPosition) => void }

function CellMenu({ onAction, ...at }: CellMenuProps) {
  const { t } = useTranslation('marks')
  const { isReadOnly } = at.grid
  const isOut = at.grid.controller.savedAt(at.position)?.is_excluded
  const item = (action: Parameters<typeof onAction>[0], words: string, keys: string) => (
    <Menu.Item onClick={() => onAction(action, at.position)}>
      {words} <small className={layout['ofKeyboard']}>{keys}</small>
    </Menu.Item>
  )
  return (
    <MenuAtCell {...at} label={t('cellMenu')}>
      {!isReadOnly && (
        <>
          {at.grid.sheet.codes.map(({ code, name }) => (
            <Menu.Item key={code} onClick={() => at.grid.controller.enterCode(at.position, code)}>
              {name} <small>{code}</small>
            </Menu.Item>
          ))}
          <div className={menu['menuRule']} />
        </>
      )}
      {!isReadOnly && item('remark', t('remark.action'), 'Alt+R')}
      {!isReadOnly && item('exclude', t(isOut ? 'exclude.include' : 'exclude.action'), 'Alt+X')}
      {item('history', t('history'), 'Alt+H')}
      {item('explain', t('explain'), 'Alt+E')}
      <div className={menu['menuRule']} />
      {item('copy', t('copy'), 'Ctrl+C')}
      {!isReadOnly && item('paste', t('paste.action'), 'Ctrl+V')}
    </MenuAtCell>
  )
}

type ColumnMenuProps = AtCell & { column: Assessment; onShow: (dialog: OpenDialog) => void }

/** The menu of an assessment; its dialog changes, excludes and deletes it. */
function ColumnMenu({ column, onShow, ...at }: ColumnMenuProps) {
  const { t } = useTranslation('marks')
  const { isReadOnly } = at.grid
  return (
    <MenuAtCell {...at} label={t('columnMenu', { title: column.title })}>
      {!isReadOnly && <Menu.Item onClick={() => onShow({ is: 'assessment', column })}>{t('change')}</Menu.Item>}
      {!isReadOnly && <Menu.Item onClick={() => onShow({ is: 'fill', column })}>{t('fill')}</Menu.Item>}
      <Menu.Item onClick={() => onShow({ is: 'columnHistory', column })}>{t('columnHistory')}</Menu.Item>
    </MenuAtCell>
  )
}
