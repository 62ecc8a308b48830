import { useBlocker } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Actions } from '../../components/field.tsx'
import { holdTerm } from '../../frame/chosen-term.ts'
import { sentenceOf } from '../../words/failure.ts'
import styles from './reports.module.css'
import { stuckRows } from './use-autosave.ts'

/** Where the eye has to go: to what cannot be meant, else to what could not be sent. */
const backToWork = () => document.querySelector<HTMLElement>('li [aria-invalid="true"], li [role="alert"] button')?.focus()

/** Asks before rows go from the page that would not be saved by that. What only waits for its moment is saved, and holds nobody. */
export function LeavingRows() {
  const [choice, setChoice] = useState<{ choose: () => void } | null>(null)
  useEffect(() => {
    // The rows are those of a term: with another one they go too.
    return holdTerm((choose) => {
      const isStuck = stuckRows().length > 0
      if (isStuck) setChoice({ choose })
      return isStuck
    })
  }, [])
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      (current.pathname !== next.pathname || JSON.stringify(current.search) !== JSON.stringify(next.search)) && stuckRows().length > 0,
    // The rows themselves ask before the window closes.
    enableBeforeUnload: false,
    withResolver: true,
  })
  if (choice) {
    const leave = () => {
      setChoice(null)
      choice.choose()
    }
    return <Question onStay={() => setChoice(null)} onLeave={leave} />
  }
  return blocker.status === 'blocked' ? <Question onStay={blocker.reset} onLeave={blocker.proceed} /> : null
}

function Question({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) {
  const { t } = useTranslation('reports')
  const [stuck] = useState(stuckRows)
  const stay = () => {
    onStay()
    requestAnimationFrame(backToWork)
  }
  return (
    <Dialog open title={t('leave.title')} lead={t('leave.text', { count: stuck.length })} onClose={stay}>
      <ul className={styles['stuck']}>
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
