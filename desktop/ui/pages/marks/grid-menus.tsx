import { Menu } from '@base-ui/react/menu'
import type { Assessment } from '@markbook/shared/contract/assessments'
import type { ReactNode, RefObject } from 'react'
import { useTranslation } from 'react-i18next'
import menu from '../../frame/frame.module.css'
import { cellId, type Grid } from './grid-context.ts'
import type { CellPosition } from './model/navigation.ts'
import type { OpenDialog } from './use-grid.ts'

type AtCell = {
  grid: Grid
  position: CellPosition
  root: RefObject<HTMLDivElement | null>
  label: string
  onClose: () => void
  children: ReactNode
}

/** A menu at a cell. The grid gets the focus back when it closes. */
function MenuAtCell({ grid, position, root, label, onClose, children }: AtCell) {
  return (
    <Menu.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Menu.Portal>
        <Menu.Positioner
          anchor={() => document.getElementById(cellId(grid.id, position.row, position.col))}
          align="start"
          style={{ zIndex: 10 }}
        >
          <Menu.Popup className={menu['menu']} aria-label={label} finalFocus={root}>
            {children}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

type CellMenuProps = Omit<AtCell, 'label' | 'children'> & {
  isReadOnly: boolean
  onAction: (action: 'remark' | 'exclude' | 'history' | 'copy' | 'paste', position: CellPosition) => void
}

export function CellMenu({ isReadOnly, onAction, ...at }: CellMenuProps) {
  const { t } = useTranslation('marks')
  const { controller, sheet } = at.grid
  const ids = controller.idsAt(at.position)
  const isOut = ids !== null && (sheet.cell(ids.assessmentId, ids.studentId).saved?.is_excluded ?? false)
  const item = (action: Parameters<typeof onAction>[0], words: string, keys: string) => (
    <Menu.Item onClick={() => onAction(action, at.position)}>
      {words} <small>{keys}</small>
    </Menu.Item>
  )
  return (
    <MenuAtCell {...at} label={t('cellMenu')}>
      {!isReadOnly && item('remark', t('remark.action'), 'Alt+R')}
      {!isReadOnly && item('exclude', t(isOut ? 'exclude.include' : 'exclude.action'), 'Alt+X')}
      {item('history', t('history'), 'Alt+H')}
      <div className={menu['menuRule']} />
      {item('copy', t('copy'), 'Ctrl+C')}
      {!isReadOnly && item('paste', t('paste.action'), 'Ctrl+V')}
    </MenuAtCell>
  )
}

type ColumnMenuProps = Omit<AtCell, 'label' | 'children'> & {
  column: Assessment
  isReadOnly: boolean
  onShow: (dialog: OpenDialog) => void
}

/** The actions of an assessment. Its dialog changes, excludes and deletes it. */
export function ColumnMenu({ column, isReadOnly, onShow, ...at }: ColumnMenuProps) {
  const { t } = useTranslation('marks')
  return (
    <MenuAtCell {...at} label={t('columnMenu', { title: column.title })}>
      {!isReadOnly && <Menu.Item onClick={() => onShow({ is: 'assessment', column })}>{t('change')}</Menu.Item>}
      {!isReadOnly && <Menu.Item onClick={() => onShow({ is: 'fill', column })}>{t('fill')}</Menu.Item>}
      <Menu.Item onClick={() => onShow({ is: 'columnHistory', column })}>{t('columnHistory')}</Menu.Item>
    </MenuAtCell>
  )
}
