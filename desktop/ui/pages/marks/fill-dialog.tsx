import type { Assessment } from '@markbook/shared/contract/assessments'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Actions, Form, TextField } from '../../components/field.tsx'
import { Notice } from '../../components/page.tsx'
import { editable } from '../../words/format.ts'
import type { Grid } from './grid-parts.ts'
import { readMark } from './model/typed-mark.ts'

/** One mark for everybody who has none in an assessment. */
export function FillDialog({ grid: { sheet, control }, column, onClose }: { grid: Grid; column: Assessment; onClose: () => void }) {
  const { t } = useTranslation(['marks', 'app'])
  const [text, setText] = useState('')
  const col = sheet.columns.findIndex(({ id }) => id === column.id)
  const empty = sheet.pupils.flatMap((_, row) => (control.scoreAt({ row, col }) === null ? [{ row, col }] : []))
  const typed = readMark(text, column.max_score)
  const fill = () => {
    if (typed.kind !== 'mark') return
    control.enterAll(empty.map((place) => ({ ...place, score: typed.score })))
    onClose()
  }
  return (
    <Dialog open title={t('fillIn.title', { title: column.title })} onClose={onClose}>
      {empty.length === 0 ? (
        <Notice tone="good">{t('fillIn.full')}</Notice>
      ) : (
        <Form onSend={fill}>
          <p>{t('fillIn.lead', { count: empty.length })}</p>
          <TextField
            label={t('fillIn.label')}
            hint={t('max', { max: editable(column.max_score) })}
            inputMode="decimal"
            value={text}
            error={typed.kind === 'wrong' ? t(`wrong.${typed.reason}`, { max: editable(column.max_score) }) : undefined}
            onChange={({ target }) => setText(target.value)}
          />
          <Actions>
            <Button onClick={onClose}>{t('app:action.cancel')}</Button>
            <Button type="submit" look="primary" disabled={typed.kind !== 'mark'}>
              {t('fillIn.save')}
            </Button>
          </Actions>
        </Form>
      )}
    </Dialog>
  )
}
