import { limits } from '@markbook/shared/limits'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { refresh } from '../../api/queries.ts'
import { Dialog, FormDialog } from '../../components/dialog.tsx'
import { TextArea, TextField } from '../../components/field.tsx'
import { Notice } from '../../components/page.tsx'
import { remarkOf } from './cell-details.tsx'
import type { Grid } from './grid-context.ts'
import type { CellPosition } from './model/navigation.ts'

type Props = { grid: Grid; position: CellPosition; onClose: () => void }

function cellAt({ controller, sheet }: Grid, position: CellPosition) {
  const ids = controller.idsAt(position)
  if (!ids) throw new Error('the dialog needs a position with a mark')
  const pupil = sheet.pupils[position.row]
  return { ids, cell: sheet.cell(ids.assessmentId, ids.studentId), name: `${pupil?.first_name ?? ''} ${pupil?.last_name ?? ''}` }
}

/** Edits the remark of a mark. It is saved through the queue, like the mark. */
export function RemarkDialog({ grid, position, onClose }: Props) {
  const { t } = useTranslation('marks')
  const { ids, cell, name } = cellAt(grid, position)
  const [text, setText] = useState(() => remarkOf(cell))
  const score = grid.controller.scoreAt(position)
  const save = () => {
    const seen = cell.saved?.score ?? null
    if (score !== null && text.trim() !== remarkOf(cell)) {
      grid.sheet.queue.put([{ ...ids, score, remarks: text.trim() === '' ? null : text.trim(), seen }])
    }
    onClose()
  }
  const title = t('remark.title', { pupil: name })
  if (score === null) return <NoMarkDialog title={title} text={t('remark.needsMark')} onClose={onClose} />
  return (
    <FormDialog title={title} onSave={save} onClose={onClose}>
      <TextArea
        label={t('remark.label')}
        hint={t('remark.hint')}
        value={text}
        maxLength={limits.text.remark}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save()
        }}
      />
    </FormDialog>
  )
}

/** Excludes a mark with a reason. `useInclusion` includes it again without a dialog. */
export function ExcludeDialog({ grid, position, onClose }: Props) {
  const { t } = useTranslation('marks')
  const { cell, name } = cellAt(grid, position)
  const [reason, setReason] = useState('')
  const include = useInclusion(grid)
  const exclude = useMutation({ mutationFn: (gradeId: string) => include(gradeId, reason.trim()), onSuccess: onClose })
  const heading = { title: t('exclude.title', { pupil: name }), lead: t('exclude.lead') }
  const { saved } = cell
  if (!saved) return <NoMarkDialog {...heading} text={t('exclude.needsMark')} onClose={onClose} />
  return (
    <FormDialog
      {...heading}
      failure={exclude.error}
      busy={exclude.isPending}
      action={t('exclude.confirm')}
      onSave={() => exclude.mutate(saved.id)}
      onClose={onClose}
    >
      <TextField
        label={t('exclude.reason')}
        optional
        value={reason}
        maxLength={limits.text.reason}
        onChange={({ target }) => setReason(target.value)}
      />
    </FormDialog>
  )
}

const NoMarkDialog = ({ text, ...dialog }: { title: string; lead?: string; text: string; onClose: () => void }) => (
  <Dialog open {...dialog}>
    <Notice>{text}</Notice>
  </Dialog>
)

/** Excludes a mark for a reason; a reason of null includes it again. */
export function useInclusion({ sheet, message }: Grid): (gradeId: string, reason: string | null) => Promise<void> {
  const { t } = useTranslation('marks')
  const queries = useQueryClient()
  return async (id, reason) => {
    const body = { isExcluded: reason !== null, ...(reason && { exclusionReason: reason }) }
    const grade = await client.grades.exclude({ params: { id }, body })
    sheet.applySaved([grade], false)
    message.show(t(reason === null ? 'exclude.undone' : 'exclude.done'))
    await refresh(queries, ['calculations', 'history'])
  }
}
