import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/button.tsx'
import { Actions, Form, TextField } from '../../components/field.tsx'
import { issueOf } from '../../words/failure.ts'
import { editable, typedNumber } from '../../words/format.ts'
import { useColumnName } from './naming.ts'

type Columns = Readonly<Record<string, unknown>>
const isTypable = (value: unknown) => typeof value === 'number' || typeof value === 'string' || value === null
const asText = (value: unknown) => (typeof value === 'number' ? editable(value) : typeof value === 'string' ? value : '')

/** Neither of the two was right: the right one is typed over what was written too. Numbers stay numbers. */
export function TypedValue({
  columns,
  isBusy,
  failure,
  onType,
}: {
  columns: Columns
  isBusy: boolean
  failure: unknown
  onType: (value: Record<string, unknown>) => void
}) {
  const { t } = useTranslation(['sync', 'app'])
  const columnName = useColumnName()
  const [isOpen, setOpen] = useState(false)
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(Object.entries(columns).map(([column, value]) => [column, asText(value)])),
  )
  if (!Object.values(columns).every(isTypable)) return null
  if (!isOpen) {
    return (
      <div>
        <Button look="quiet" onClick={() => setOpen(true)}>
          {t('type')}
        </Button>
      </div>
    )
  }
  const value = Object.fromEntries(
    Object.entries(columns).map(([column, before]) => {
      const text = typed[column] ?? ''
      return [column, typeof before === 'number' ? typedNumber(text) : text.trim() === '' ? null : text]
    }),
  )
  const isWrong = (column: string) => typeof columns[column] === 'number' && value[column] === null
  const isWhole = !Object.keys(columns).some(isWrong)
  return (
    <Form onSend={() => isWhole && onType(value)}>
      {Object.entries(columns).map(([column, before], at) => (
        <TextField
          key={column}
          label={columnName(column)}
          error={isWrong(column) ? t('typedNumber', { example: editable(24.5) }) : issueOf(failure, `value.${column}`)}
          autoFocus={at === 0}
          onFocus={({ target }) => target.select()}
          inputMode={typeof before === 'number' ? 'decimal' : undefined}
          value={typed[column] ?? ''}
          onChange={({ target }) => setTyped({ ...typed, [column]: target.value })}
        />
      ))}
      <Actions>
        <Button onClick={() => setOpen(false)}>{t('app:action.cancel')}</Button>
        <Button type="submit" look="primary" disabled={!isWhole} busy={isBusy} busyWord={t('app:state.saving')}>
          {t('typedSave')}
        </Button>
      </Actions>
    </Form>
  )
}
