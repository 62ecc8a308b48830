import { useBlocker } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Actions } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { guardTermChange } from '../../frame/chosen-term.ts'
import { sentenceOf } from '../../words/failure.ts'
import { unsavableRows } from './use-autosave.ts'

/** Focuses the first invalid field, or else the first failed row. */
const focusUnsavedField = () => document.querySelector<HTMLElement>('li [aria-invalid="true"], li [role="alert"] button')?.focus()

/** Asks before the page is left with rows that cannot be saved. Rows that only wait are saved then, without a question. */
export function LeaveWarning() {
  const [choice, setChoice] = useState<{ choose: () => void } | null>(null)
  useEffect(() => {
    // Another term shows other rows.
    return guardTermChange((choose) => {
      const isStuck = unsavableRows().length > 0
      if (isStuck) setChoice({ choose })
      return isStuck
    })
  }, [])
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      (current.pathname !== next.pathname || JSON.stringify(current.search) !== JSON.stringify(next.search)) && unsavableRows().length > 0,
    // The rows themselves ask before the window closes.
    enableBeforeUnload: false,
    withResolver: true,
  })
  if (choice) {
    const leave = () => {
      setChoice(null)
      choice.choose()
    }
    return <LeaveDialog onStay={() => setChoice(null)} onLeave={leave} />
  }
  return blocker.status === 'blocked' ? <LeaveDialog onStay={blocker.reset} onLeave={blocker.proceed} /> : null
}

function LeaveDialog({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) {
  const { t } = useTranslation('reports')
  const [stuck] = useState(unsavableRows)
  const stay = () => {
    onStay()
    requestAnimationFrame(focusUnsavedField)
  }
  return (
    <Dialog open title={t('leave.title')} lead={t('leave.text', { count: stuck.length })} onClose={stay}>
      <ul className={layout['bullets']}>
        {stuck.map(({ name, failure }) => (
          <li key={name}>
            <strong>{name}</strong>: {failure === null ? t('leave.wrong') : sentenceOf(failure)}
          </li>
        ))}
      </ul>
      <Actions>
        <Button look="primary" onClick={stay}>
          {t('leave.stay')}
        </Button>
        <Button onClick={onLeave}>{t('leave.go')}</Button>
      </Actions>
    </Dialog>
  )
}
