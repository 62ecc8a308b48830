import { useBlocker } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { LeaveDialog } from '../../components/dialog.tsx'
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
    return <LeaveRows onStay={() => setChoice(null)} onLeave={leave} />
  }
  return blocker.status === 'blocked' ? <LeaveRows onStay={blocker.reset} onLeave={blocker.proceed} /> : null
}

function LeaveRows({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) {
  const { t } = useTranslation('reports')
  const [stuck] = useState(unsavableRows)
  const stay = () => {
    onStay()
    requestAnimationFrame(focusUnsavedField)
  }
  return (
    <LeaveDialog
      lead={t('leave.text', { count: stuck.length })}
      unsaved={stuck.map(({ name, failure }) => ({ key: name, name, reason: failure === null ? t('leave.wrong') : sentenceOf(failure) }))}
      go={t('leave.go')}
      onStay={stay}
      onLeave={onLeave}
    />
  )
}
