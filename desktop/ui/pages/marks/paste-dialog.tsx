import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Actions, Form, TextArea } from '../../components/field.tsx'
import { Notice, Table } from '../../components/page.tsx'
import { editable } from '../../words/format.ts'
import type { Grid } from './grid-parts.ts'
import styles from './marks.module.css'
import type { Place } from './model/moves.ts'
import { isChange, type PastedCell, type PastePlan, readBlock } from './model/paste.ts'

/** More rows than these are counted in the preview, and saved like the others. */
const SHOWN = 60

type Props = { grid: Grid; at: Place; block: string[][]; onClose: () => void }

/** What was copied elsewhere, beside the pupils and assessments where it would go; saved all at once, or not at all. */
export function PasteDialog({ grid, at, block: given, onClose }: Props) {
  const { t } = useTranslation(['marks', 'app'])
  const [block, setBlock] = useState(given)
  const { sheet, control } = grid
  const plan = control.planOf(block, at)
  const pupil = sheet.pupils[at.row]
  const save = () => {
    const changes = plan.cells.filter(isChange)
    control.enterAll(changes.flatMap(({ row, col, typed }) => (typed.kind === 'mark' ? [{ row, col, score: typed.score }] : [])))
    onClose()
  }
  const lead = t('paste.lead', { pupil: `${pupil?.last_name ?? ''} ${pupil?.first_name ?? ''}`, title: sheet.columns[at.col]?.title ?? '' })
  return (
    <Dialog open wide title={t('paste.title')} lead={lead} onClose={onClose}>
      <Form onSend={save}>
        {block.length === 0 ? (
          <TextArea label={t('paste.label')} hint={t('paste.hint')} onChange={({ target }) => setBlock(readBlock(target.value))} />
        ) : (
          <>
            <Findings plan={plan} />
            <Preview grid={grid} plan={plan} />
          </>
        )}
        <Actions>
          <Button onClick={onClose}>{t('app:action.cancel')}</Button>
          <Button type="submit" look="primary" disabled={plan.marks === 0}>
            {t('paste.save', { count: plan.marks })}
          </Button>
        </Actions>
      </Form>
    </Dialog>
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
  return (
    <div className={styles['preview']}>
      <Table label={t('paste.preview')}>
        <thead>
          <tr>
            <th scope="col">{t('pupil')}</th>
            {cols.map((col) => (
              <th key={col} scope="col">
                {sheet.columns[col]?.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, SHOWN).map((row) => (
            <tr key={row}>
              <th scope="row">
                {sheet.pupils[row]?.last_name} {sheet.pupils[row]?.first_name}
              </th>
              {cols.map((col) => (
                <Pasted
                  key={col}
                  cell={cells.find((cell) => cell.row === row && cell.col === col)}
                  maxScore={sheet.columns[col]?.max_score ?? 0}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </Table>
      {rows.length > SHOWN && <p>{t('paste.rest', { count: rows.length - SHOWN })}</p>}
    </div>
  )
}

function Pasted({ cell, maxScore }: { cell: PastedCell | undefined; maxScore: number }) {
  const { t } = useTranslation('marks')
  if (!cell || cell.typed.kind === 'empty') return <td className={styles['pasted']} />
  const { typed, text, before } = cell
  if (typed.kind === 'wrong') {
    return (
      <td className={styles['pasted']} data-kind="wrong">
        ! {text} <span className={styles['before']}>{t(`wrong.${typed.reason}`, { max: editable(maxScore) })}</span>
      </td>
    )
  }
  const isSame = typed.score === before
  return (
    <td className={styles['pasted']} data-kind={isSame ? 'same' : 'mark'}>
      {editable(typed.score)}
      {before !== null && (
        <span className={styles['before']}>{isSame ? t('paste.unchanged') : t('paste.before', { score: editable(before) })}</span>
      )}
    </td>
  )
}
