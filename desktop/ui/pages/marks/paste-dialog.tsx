import { useContext, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Closing } from '../../components/closing.ts'
import { FormDialog } from '../../components/dialog.tsx'
import { TextArea } from '../../components/field.tsx'
import { Notice } from '../../components/page.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { editable } from '../../words/format.ts'
import type { Grid } from './grid-context.ts'
import styles from './marks.module.css'
import type { CellPosition } from './model/navigation.ts'
import { isChange, type PastedCell, type PastePlan, readBlock } from './model/paste.ts'

/** Rows of the preview. More rows are counted and saved like the others. */
const MAX_ROWS = 60

type Props = { grid: Grid; at: CellPosition; block: string[][] }

/** Previews a pasted block beside its pupils and assessments, and saves it as one step. */
export function PasteDialog({ grid, at, block: pasted }: Props) {
  const { t } = useTranslation('marks')
  const [block, setBlock] = useState(pasted)
  const close = useContext(Closing)
  const { sheet, controller } = grid
  const plan = controller.planPaste(block, at)
  const pupil = sheet.pupils[at.row]
  const save = () => {
    const changes = plan.cells.filter(isChange)
    controller.enterMarks(changes.flatMap(({ row, col, typed }) => (typed.kind === 'mark' ? [{ row, col, score: typed.score }] : [])))
    close?.()
  }
  const lead = t('paste.lead', { pupil: `${pupil?.last_name ?? ''} ${pupil?.first_name ?? ''}`, title: sheet.columns[at.col]?.title ?? '' })
  return (
    <FormDialog
      wide
      title={t('paste.title')}
      lead={lead}
      action={t('paste.save', { count: plan.marks })}
      disabled={plan.marks === 0}
      form={{ send: save }}
    >
      {block.length === 0 ? (
        <TextArea label={t('paste.label')} hint={t('paste.hint')} onChange={({ target }) => setBlock(readBlock(target.value))} />
      ) : (
        <>
          <Findings plan={plan} />
          <Preview grid={grid} plan={plan} />
        </>
      )}
    </FormDialog>
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

function Preview({ grid: { sheet }, plan: { cells } }: { grid: Grid; plan: PastePlan }) {
  const { t } = useTranslation('marks')
  const rows = [...new Set(cells.map(({ row }) => row))]
  const cols = [...new Set(cells.map(({ col }) => col))].sort((a, b) => a - b)
  const columns: Column<number>[] = [
    { head: t('pupil'), cell: (row) => `${sheet.pupils[row]?.last_name} ${sheet.pupils[row]?.first_name}` },
    ...cols.map((col) => ({
      id: String(col),
      head: sheet.columns[col]?.title ?? '',
      cell: (row: number) => (
        <Pasted cell={cells.find((cell) => cell.row === row && cell.col === col)} maxScore={sheet.columns[col]?.max_score ?? 0} />
      ),
    })),
  ]
  return (
    <div className={styles['preview']}>
      <Table label={t('paste.preview')} columns={columns} rows={rows.slice(0, MAX_ROWS)} keyOf={(row) => row} />
      {rows.length > MAX_ROWS && <p>{t('paste.rest', { count: rows.length - MAX_ROWS })}</p>}
    </div>
  )
}

function Pasted({ cell, maxScore }: { cell: PastedCell | undefined; maxScore: number }) {
  const { t } = useTranslation('marks')
  if (!cell || cell.typed.kind === 'empty') return null
  const { typed, text, before } = cell
  if (typed.kind === 'wrong') {
    return (
      <span className={styles['pasted']} data-kind="wrong">
        ! {text} <span className={styles['before']}>{t(`wrong.${typed.reason}`, { max: editable(maxScore) })}</span>
      </span>
    )
  }
  const isSame = typed.score === before
  return (
    <span className={styles['pasted']} data-kind={isSame ? 'same' : 'mark'}>
      {editable(typed.score)}
      {before !== null && (
        <span className={styles['before']}>{isSame ? t('paste.unchanged') : t('paste.before', { score: editable(before) })}</span>
      )}
    </span>
  )
}
