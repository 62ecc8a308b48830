import { limits } from '@markbook/shared/limits'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { refresh } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Actions, Form, TextArea, TextField } from '../../components/field.tsx'
import { FailureNotice, Notice } from '../../components/page.tsx'
import { remarkOf } from './cell-line.tsx'
import type { Grid } from './grid-parts.ts'
import type { Place } from './model/moves.ts'

type Props = { grid: Grid; place: Place; onClose: () => void }

function useCellAt({ control, sheet }: Grid, place: Place) {
  const ids = control.idsAt(place)
  if (!ids) throw new Error('a dialog was opened for no mark')
  const pupil = sheet.pupils[place.row]
  return { ids, cell: sheet.cell(ids.assessmentId, ids.studentId), name: `${pupil?.first_name ?? ''} ${pupil?.last_name ?? ''}` }
}

/** A remark goes the way of its mark: kept here until the server has it. */
export function RemarkDialog({ grid, place, onClose }: Props) {
  const { t } = useTranslation(['marks', 'app'])
  const { ids, cell, name } = useCellAt(grid, place)
  const [text, setText] = useState(() => remarkOf(cell))
  const score = grid.control.scoreAt(place)
  const save = () => {
    const seen = cell.saved?.score ?? null
    if (score !== null && text.trim() !== remarkOf(cell)) {
      grid.sheet.queue.put([{ ...ids, score, remarks: text.trim() === '' ? null : text.trim(), seen }])
    }
    onClose()
  }
  return (
    <Dialog open title={t('remark.title', { pupil: name })} onClose={onClose}>
      {score === null ? (
        <Notice>{t('remark.needsMark')}</Notice>
      ) : (
        <Form onSend={save}>
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
          <Actions>
            <Button onClick={onClose}>{t('app:action.cancel')}</Button>
            <Button type="submit" look="primary">
              {t('app:action.save')}
            </Button>
          </Actions>
        </Form>
      )}
    </Dialog>
  )
}

/** Leaves a mark out with its reason. What is left out already is simply counted again (`useInclusion`). */
export function ExcludeDialog({ grid, place, onClose }: Props) {
  const { t } = useTranslation(['marks', 'app'])
  const { cell, name } = useCellAt(grid, place)
  const [reason, setReason] = useState('')
  const [failure, setFailure] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const include = useInclusion(grid)
  const save = async () => {
    if (!cell.saved) return
    setBusy(true)
    setFailure(null)
    try {
      await include(cell.saved.id, reason.trim())
      onClose()
    } catch (error) {
      setFailure(error)
      setBusy(false)
    }
  }
  return (
    <Dialog open title={t('exclude.title', { pupil: name })} lead={t('exclude.lead')} onClose={onClose}>
      {cell.saved ? (
        <Form onSend={() => void save()}>
          <FailureNotice failure={failure} />
          <TextField
            label={t('exclude.reason')}
            optional
            value={reason}
            maxLength={limits.text.reason}
            onChange={({ target }) => setReason(target.value)}
          />
          <Actions>
            <Button onClick={onClose}>{t('app:action.cancel')}</Button>
            <Button type="submit" look="primary" busy={isBusy} busyWord={t('app:state.saving')}>
              {t('exclude.confirm')}
            </Button>
          </Actions>
        </Form>
      ) : (
        <Notice>{t('exclude.needsMark')}</Notice>
      )}
    </Dialog>
  )
}

/** Leaves a mark out for a reason, or, for null, counts it again. */
export function useInclusion({ sheet, saying }: Grid): (gradeId: string, reason: string | null) => Promise<void> {
  const { t } = useTranslation('marks')
  const queries = useQueryClient()
  return async (id, reason) => {
    const body = { isExcluded: reason !== null, ...(reason && { exclusionReason: reason }) }
    const grade = await client.grades.exclude({ params: { id }, body })
    sheet.arrived([grade], false)
    saying.say(t(reason === null ? 'exclude.undone' : 'exclude.done'))
    await refresh(queries, ['calculations', 'history'])
  }
}
