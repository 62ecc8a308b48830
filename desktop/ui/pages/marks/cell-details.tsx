import type { Assessment } from '@markbook/shared/contract/assessments'
import type { LiveMark } from '@markbook/shared/contract/grades'
import { fullName } from '@markbook/shared/domain/full-name'
import { limits } from '@markbook/shared/limits'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import Redo2 from 'lucide-react/icons/redo-2'
import Undo2 from 'lucide-react/icons/undo-2'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { ask, refresh } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, FormDialog } from '../../components/dialog.tsx'
import { TextArea, TextField } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import layout from '../../components/layout.module.css'
import { Notice } from '../../components/page.tsx'
import { useForm } from '../../components/use-form.ts'
import { editable, moment } from '../../words/format.ts'
import { nameInGrid, nameOf } from '../../words/names.ts'
import { type Restoration, restorationOf } from '../history/restoration.ts'
import { describeCell } from './cell-appearance.ts'
import { type Grid, useCell, useLayout, useSettledChanges } from './grid-context.ts'
import styles from './marks.module.css'
import { cellValueOf, markOf } from './model/cell-value.ts'
import type { Pupil } from './model/closed-cells.ts'
import type { CellAction } from './model/grid-controller.ts'
import { locationOf } from './model/mark-location.ts'
import { remarkOf } from './model/mark-values.ts'
import type { CellPosition } from './model/navigation.ts'
import type { Sheet } from './model/sheet.ts'
import { valueText } from './model/value-text.ts'
import { useParentStatus } from './use-sheet.ts'

type Props = {
  grid: Grid
  onAction: (action: CellAction, position: CellPosition) => void
  /** Opens the menu of the cell, which has the codes; a telephone has no other way to open it. */
  onMenu: (position: CellPosition) => void
}

/** Returns a function from the id of a teacher to their name; null where unknown. */
export function useTeacherNames(): (id: string | null) => string | null {
  const teachers = useQuery({ ...ask('classes', 'schoolTeachers'), staleTime: 600_000 })
  return (id) => {
    const found = teachers.data?.find((teacher) => teacher.id === id)
    return found ? fullName(found) : null
  }
}

/** Details of the selected cell, below the grid: pupil, mark, state, place of storage, author and remark. */
export function CellDetails({ grid, onAction, onMenu }: Props) {
  const { t } = useTranslation('marks')
  const { selection, controller, sheet } = grid
  useLayout(sheet)
  // Waits until the selection rests, so that a pressed key is painted first.
  useSettledChanges(selection.subscribe, 60)
  const at = selection.active
  const ids = controller.idsAt(at)
  const pupil = sheet.pupils[at.row]
  const column = sheet.columns[at.col]
  /** Acts on the cell that is selected at the press: this line may still show the one before. */
  const atSelected = (open: (position: CellPosition) => void) => () => controller.idsAt(selection.active) && open(selection.active)
  const act = (action: CellAction) => atSelected((position) => onAction(action, position))
  return (
    <section className={`${layout['box']} ${styles['line']}`} aria-label={t('line.label')}>
      <p className={styles['lineText']}>
        {ids && pupil && column ? (
          <CellDescription sheet={sheet} pupil={pupil} column={column} />
        ) : (
          t(pupil && column ? 'line.closed' : 'line.empty', { name: pupil?.first_name, title: column?.title })
        )}
      </p>
      <div className={styles['lineActions']}>
        {!grid.isReadOnly && (
          <>
            <Button size="small" disabled={!ids} aria-haspopup="menu" onClick={atSelected(onMenu)}>
              {t('code')}
            </Button>
            <Button size="small" disabled={!ids} title="Alt+R" onClick={act('remark')}>
              {t('remark.action')}
            </Button>
            <Button size="small" disabled={!ids} title="Alt+X" onClick={act('exclude')}>
              {t(controller.savedAt(at)?.is_excluded ? 'exclude.include' : 'exclude.action')}
            </Button>
          </>
        )}
        <Button size="small" disabled={!ids} title="Alt+H" onClick={act('history')}>
          {t('history')}
        </Button>
        {!grid.isReadOnly && <TouchUndo grid={grid} />}
      </div>
    </section>
  )
}

/** Undo and redo for devices without Ctrl+Z and Ctrl+Y. Text in the editor is entered first, and is then what is undone. */
function TouchUndo({ grid: { controller } }: { grid: Grid }) {
  const { t } = useTranslation('app')
  const after = (step: () => unknown) => () => {
    controller.commitEdit(true)
    void step()
  }
  return (
    <span className={styles['touchUndo']}>
      <Button size="small" aria-label={t('action.undo')} title="Ctrl+Z" onClick={after(() => controller.undo())}>
        <Icon of={Undo2} />
      </Button>
      <Button size="small" aria-label={t('action.redo')} title="Ctrl+Y" onClick={after(() => controller.redo())}>
        <Icon of={Redo2} />
      </Button>
    </span>
  )
}

function CellDescription({ sheet, pupil, column }: { sheet: Sheet; pupil: Pupil; column: Assessment }) {
  const { t } = useTranslation(['marks', 'app'])
  const teacherName = useTeacherNames()
  const parentStatus = useParentStatus()
  const cell = useCell(sheet, column.id, pupil.id)
  const restoration = useRestoration(cell.pending ? null : cell.saved)
  const byWhom = ({ updated_by, updated_at }: LiveMark) => {
    const when = moment(updated_at)
    if (restoration) {
      const [author, name] = [restoration.enteredBy, restoration.restoredBy].map((person) => (person && nameOf(person)) || t('somebody'))
      return t('line.restored', { author, name, when })
    }
    return updated_by === null ? when : t('line.by', { name: teacherName(updated_by) ?? t('somebody'), when })
  }
  const { saved, pending } = cell
  const value = pending && pending.state !== 'conflict' ? pending.score : cellValueOf(saved)
  const mark = markOf(value)
  const code = sheet.codes.find((one) => one.code === mark.status)
  const parts = [...(code ? [code.name] : []), ...describeCell(cell, column)]
  if (saved && !pending) parts.push(t(`state.${locationOf(saved, parentStatus)}`))
  if (saved && !pending) parts.push(byWhom(saved))
  const remark = remarkOf(cell)
  if (remark) parts.push(t('line.remark', { remark }))
  const place = `${nameInGrid(pupil)}, ${column.title}`
  const most = mark.score === null ? '' : ` / ${editable(column.max_score)}`
  return (
    <>
      <strong>{value === null ? place : `${t('app:label', { label: place })} ${valueText(value)}${most}`}</strong>
      {parts.map((part) => (
        <span key={part}>{part}</span>
      ))}
      {saved && cell.isInReview && <OpenConflict gradeId={saved.id} />}
    </>
  )
}

/** How long a cell must be selected before the history of its mark is read, in ms: not while somebody moves through the grid. */
const READ_AFTER = 600

/** Who entered a saved mark and who restored it from the bin, read when its cell has been selected for a moment; null for other marks. */
function useRestoration(saved: LiveMark | null | undefined): Restoration | null {
  const key = saved ? `${saved.id} ${saved.updated_at}` : null
  const [restedAt, setRestedAt] = useState<string | null>(null)
  useEffect(() => {
    const timer = setTimeout(() => setRestedAt(key), READ_AFTER)
    return () => clearTimeout(timer)
  }, [key])
  const isWanted = key !== null && key === restedAt
  const query = { entity: 'grade', id: saved?.id ?? '' } as const
  const history = useQuery({ ...ask('history', 'list', { query }), enabled: isWanted, retry: false, staleTime: 0 })
  const restoration = isWanted && history.data ? restorationOf(history.data) : null
  // The history may be older than the mark.
  return restoration && restoration.restoredBy?.id === saved?.updated_by ? restoration : null
}

/** The other server's mark in a replication conflict, with a link to the page that decides it. */
function OpenConflict({ gradeId }: { gradeId: string }) {
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

type CellDialogProps = { grid: Grid; position: CellPosition }

function cellAt({ controller, sheet }: Grid, position: CellPosition) {
  const ids = controller.idsAt(position)
  if (!ids) throw new Error('the dialog needs a position with a mark')
  const pupil = sheet.pupils[position.row]
  return { ids, cell: sheet.cell(ids.assessmentId, ids.studentId), name: fullName(pupil ?? {}) }
}

/** Edits the remark of a mark, which is saved through the queue like the mark. */
export function RemarkDialog({ grid, position }: CellDialogProps) {
  const { t } = useTranslation('marks')
  const { ids, cell, name } = cellAt(grid, position)
  const score = grid.controller.valueAt(position)
  const [seen] = useState(() => remarkOf(cell))
  const form = useForm({
    initial: () => ({ text: seen }),
    save: async ({ text }) => grid.controller.enterRemark(ids, text.trim(), seen),
  })
  const title = t('remark.title', { pupil: name })
  if (score === null) return <NoMarkDialog title={title} text={t('remark.needsMark')} />
  return (
    <FormDialog title={title} form={form}>
      <TextArea
        {...form.field('text')}
        label={t('remark.label')}
        hint={
          <>
            {t('remark.hint')} <span className={layout['ofKeyboard']}>{t('remark.keys')}</span>
          </>
        }
        maxLength={limits.text.remark}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.send()
        }}
      />
    </FormDialog>
  )
}

/** Excludes a mark with a reason. `useInclusion` includes it again without a dialog. */
export function ExcludeDialog({ grid, position }: CellDialogProps) {
  const { t } = useTranslation('marks')
  const { cell, name } = cellAt(grid, position)
  const include = useInclusion(grid)
  const heading = { title: t('exclude.title', { pupil: name }), lead: t('exclude.lead') }
  const { saved } = cell
  const form = useForm({
    initial: { reason: '' },
    save: async ({ reason }) => saved && include(saved.id, reason.trim()),
  })
  if (!saved) return <NoMarkDialog {...heading} text={t('exclude.needsMark')} />
  return (
    <FormDialog {...heading} form={form} action={t('exclude.confirm')}>
      <TextField {...form.field('reason')} label={t('exclude.reason')} optional maxLength={limits.text.reason} />
    </FormDialog>
  )
}

const NoMarkDialog = ({ text, ...dialog }: { title: string; lead?: string; text: string }) => (
  <Dialog {...dialog}>
    <Notice>{text}</Notice>
  </Dialog>
)

/** Returns a function that excludes a mark with a reason; null as the reason includes it again. */
export function useInclusion({ sheet, message }: Grid): (gradeId: string, reason: string | null) => Promise<void> {
  const { t } = useTranslation('marks')
  return async (id, reason) => {
    const body = { isExcluded: reason !== null, ...(reason && { exclusionReason: reason }) }
    const grade = await client.grades.exclude({ params: { id }, body })
    sheet.applySaved([grade], false)
    message.show(t(reason === null ? 'exclude.undone' : 'exclude.done'))
    await refresh(['calculations', 'history'])
  }
}
