import { useContext, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Closing } from '../../components/closing.ts'
import { FormDialog } from '../../components/dialog.tsx'
import { Options, TextArea } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Badge, Notice } from '../../components/page.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { editable } from '../../words/format.ts'
import { nameInGrid } from '../../words/names.ts'
import type { Grid } from './grid-context.ts'
import styles from './marks.module.css'
import type { CellPosition } from './model/navigation.ts'
import { isChange, type PastedCell, type PastePlan } from './model/paste.ts'
import { type NamedPlan, readNamedBlock } from './model/paste-by-name.ts'
import { valueText } from './model/value-text.ts'

/** The number of rows shown in the preview. Further rows are counted and saved like the others. */
const MAX_ROWS = 60

type Props = { grid: Grid; at: CellPosition; block: string[][] }

/** Previews a pasted block, placed by its names or else by position, and saves it as one step. */
export function PasteDialog({ grid, at, block: pasted }: Props) {
  const { t } = useTranslation('marks')
  const [block, setBlock] = useState(pasted)
  const [chosen, setChosen] = useState<ReadonlyMap<number, number | null>>(new Map())
  const [edits, setEdits] = useState<ReadonlyMap<string, string>>(new Map())
  const close = useContext(Closing)
  const { sheet, controller } = grid
  const named = readNamedBlock(block, sheet.pupils, sheet.codes)
  /** The block with the corrections made in the preview. */
  const edited = (rows: readonly (readonly string[])[]) =>
    rows.map((texts, row) => texts.map((text, col) => edits.get(`${row} ${col}`) ?? text))
  const edit = (row: number, col: number, text: string) => setEdits(new Map(edits).set(`${row} ${col}`, text))
  const byName = named && controller.planByName({ ...named, rows: edited(named.rows) }, at.col, chosen)
  const plan = controller.planPaste(edited(block), at)
  const changes = (byName ? cellsToSave(byName) : plan.cells).filter(isChange)
  const pupil = sheet.pupils[at.row]
  const save = () => {
    controller.enterMarks(
      changes.flatMap(({ row, col, typed, before: seen }) => (typed.kind === 'mark' ? [{ row, col, score: typed.score, seen }] : [])),
    )
    close?.()
  }
  const where = { pupil: `${pupil?.last_name ?? ''} ${pupil?.first_name ?? ''}`, title: sheet.columns[at.col]?.title ?? '' }
  return (
    <FormDialog
      wide
      title={t('paste.title')}
      lead={byName ? t('paste.namedLead') : t('paste.lead', where)}
      action={t('paste.save', { count: changes.length })}
      disabled={changes.length === 0}
      form={{ send: save }}
    >
      {block.length === 0 ? (
        <TextArea
          label={t('paste.label')}
          hint={t('paste.hint')}
          onChange={({ target }) => setBlock(controller.block.read(target.value))}
        />
      ) : byName ? (
        <>
          <NamedFindings plan={byName} marks={changes.length} />
          <NamedPreview
            grid={grid}
            plan={byName}
            onChoose={(row, pupilRow) => setChosen(new Map(chosen).set(row, pupilRow))}
            onEdit={edit}
          />
        </>
      ) : (
        <>
          <Findings plan={plan} />
          <Preview grid={grid} plan={plan} onEdit={(row, col, text) => edit(row - at.row, col - at.col, text)} />
        </>
      )}
    </FormDialog>
  )
}

const cellsToSave = ({ cells, again }: NamedPlan): PastedCell[] =>
  cells.flatMap((own, at) => (again.has(at) ? [] : own.filter((cell) => cell !== null)))

function NamedFindings({ plan: { matches, again, cells }, marks }: { plan: NamedPlan; marks: number }) {
  const { t } = useTranslation('marks')
  const left = matches.filter(({ row, how }) => row === null && how !== 'chosen').length
  const like = matches.filter(({ how }) => how === 'like').length
  const wrong = cells.flat().filter((cell) => cell?.typed.kind === 'wrong').length
  const faults = [
    ...(like > 0 ? [t('paste.like', { count: like })] : []),
    ...(left > 0 ? [t('paste.left', { count: left })] : []),
    ...(again.size > 0 ? [t('paste.again', { count: again.size })] : []),
    ...(wrong > 0 ? [t('paste.wrong', { count: wrong })] : []),
  ]
  const will = marks > 0 ? t('paste.will', { count: marks }) : t('paste.nothing')
  return <Notice tone={faults.length > 0 || marks === 0 ? 'warn' : 'good'}>{[t('paste.named'), will, ...faults].join(' ')}</Notice>
}

type EditProps = { onEdit: (row: number, col: number, text: string) => void }
type NamedPreviewProps = { grid: Grid; plan: NamedPlan; onChoose: (row: number, pupilRow: number | null) => void } & EditProps

function NamedPreview({ grid: { sheet }, plan, onChoose, onEdit }: NamedPreviewProps) {
  const { t } = useTranslation('marks')
  const pupils = sheet.pupils.map((pupil, row) => ({ id: String(row), name: nameInGrid(pupil) }))
  const badge = (at: number) => {
    const how = plan.matches[at]?.how ?? 'nobody'
    const word = plan.again.has(at)
      ? t('paste.againBadge')
      : how === 'like'
        ? t('paste.likeBadge')
        : how === 'several' || how === 'nobody'
          ? t(`paste.${how}`)
          : ''
    return word && <Badge tone="warn">{word}</Badge>
  }
  const columns: Column<number>[] = [
    { head: t('paste.name'), cell: (at) => plan.names[at] },
    {
      head: t('paste.whom'),
      cell: (at) => (
        <span className={layout['wrap']}>
          <select
            className={layout['control']}
            aria-label={t('paste.whomOf', { name: plan.names[at] })}
            value={plan.matches[at]?.row ?? ''}
            onChange={({ target }) => onChoose(at, target.value === '' ? null : Number(target.value))}
          >
            <option value="">{t('paste.leaveOut')}</option>
            <Options of={pupils} />
          </select>
          {badge(at)}
        </span>
      ),
    },
    ...plan.columns.map((col, across) => ({
      id: String(across),
      head: col === null ? t('paste.nowhere') : (sheet.columns[col]?.title ?? ''),
      cell: (at: number) => (
        <Pasted
          cell={plan.cells[at]?.[across] ?? undefined}
          maxScore={sheet.columns[col ?? -1]?.max_score ?? 0}
          label={t('paste.put', { name: plan.names[at], title: sheet.columns[col ?? -1]?.title ?? '' })}
          onEdit={(text) => onEdit(at, across, text)}
        />
      ),
    })),
  ]
  // Rows that need attention come first, and keep their place after a correction.
  const [rows] = useState(() => {
    const isOpen = (at: number) => badge(at) !== '' || plan.cells[at]?.some((cell) => cell?.typed.kind === 'wrong') === true
    const all = plan.names.map((_, at) => at)
    return [...all.filter(isOpen), ...all.filter((at) => !isOpen(at))]
  })
  return (
    <div className={styles['preview']}>
      <Table label={t('paste.preview')} columns={columns} rows={rows.slice(0, MAX_ROWS)} keyOf={(at) => at} />
      {rows.length > MAX_ROWS && <p>{t('paste.rest', { count: rows.length - MAX_ROWS })}</p>}
    </div>
  )
}

function Findings({ plan: { marks, wrong, outsideRows, outsideColumns } }: { plan: PastePlan }) {
  const { t } = useTranslation('marks')
  const sentences = [
    marks > 0 ? t('paste.will', { count: marks }) : t('paste.nothing'),
    ...(wrong > 0 ? [t('paste.wrong', { count: wrong })] : []),
    ...(outsideRows > 0 ? [t('paste.rows', { count: outsideRows })] : []),
    ...(outsideColumns > 0 ? [t('paste.columns', { count: outsideColumns })] : []),
  ]
  return <Notice tone={sentences.length > 1 || marks === 0 ? 'warn' : 'good'}>{sentences.join(' ')}</Notice>
}

function Preview({ grid: { sheet }, plan: { cells }, onEdit }: { grid: Grid; plan: PastePlan } & EditProps) {
  const { t } = useTranslation('marks')
  const rows = [...new Set(cells.map(({ row }) => row))]
  const cols = [...new Set(cells.map(({ col }) => col))].sort((a, b) => a - b)
  const columns: Column<number>[] = [
    { head: t('pupil'), cell: (row) => `${sheet.pupils[row]?.last_name} ${sheet.pupils[row]?.first_name}` },
    ...cols.map((col) => ({
      id: String(col),
      head: sheet.columns[col]?.title ?? '',
      cell: (row: number) => (
        <Pasted
          cell={cells.find((cell) => cell.row === row && cell.col === col)}
          maxScore={sheet.columns[col]?.max_score ?? 0}
          label={t('paste.put', { name: sheet.pupils[row]?.last_name, title: sheet.columns[col]?.title ?? '' })}
          onEdit={(text) => onEdit(row, col, text)}
        />
      ),
    })),
  ]
  return (
    <div className={styles['preview']}>
      <Table wide label={t('paste.preview')} columns={columns} rows={rows.slice(0, MAX_ROWS)} keyOf={(row) => row} />
      {rows.length > MAX_ROWS && <p>{t('paste.rest', { count: rows.length - MAX_ROWS })}</p>}
    </div>
  )
}

type PastedProps = { cell: PastedCell | undefined; maxScore: number; label: string; onEdit: (text: string) => void }

/** A mark to save, or a field to correct an invalid one. The field stays until the dialog closes, since its row must not move. */
function Pasted({ cell, maxScore, label, onEdit }: PastedProps) {
  const { t } = useTranslation('marks')
  const [isField, setField] = useState(false)
  const isWrong = cell?.typed.kind === 'wrong'
  if (isWrong && !isField) setField(true)
  if (!cell || (cell.typed.kind === 'empty' && !isField)) return null
  const { typed, text, before } = cell
  if (isField) {
    return (
      <span className={styles['pasted']} data-kind={isWrong ? 'wrong' : 'mark'}>
        <input
          className={layout['control']}
          size={6}
          aria-label={label}
          aria-invalid={isWrong}
          value={text}
          onChange={({ target }) => onEdit(target.value)}
        />
        {typed.kind === 'wrong' && <span className={styles['before']}>{t(`wrong.${typed.reason}`, { max: editable(maxScore) })}</span>}
      </span>
    )
  }
  if (typed.kind !== 'mark') return null
  const isSame = typed.score === before
  return (
    <span className={styles['pasted']} data-kind={isSame ? 'same' : 'mark'}>
      {valueText(typed.score)}
      {before !== null && (
        <span className={styles['before']}>{isSame ? t('paste.unchanged') : t('paste.before', { score: valueText(before) })}</span>
      )}
    </span>
  )
}
