import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { refresh } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Actions, Form, SaveActions, TextField } from '../../components/field.tsx'
import { Notice, Progress } from '../../components/page.tsx'
import { sentenceOf } from '../../words/failure.ts'
import { nameOf } from '../../words/names.ts'
import type { ListedBook } from './book-queries.ts'
import styles from './reports.module.css'
import { type RunProgress, runEach } from './run-each.ts'

type Props = {
  title: string
  lead: ReactNode
  findings: ReactNode
  action: string
  progress: string
  /** The message about the books that succeeded. */
  finished: (count: number) => string
  books: readonly ListedBook[]
  act: (book: ListedBook) => Promise<unknown>
  /** The number of books must be typed first, because the action cannot be undone. */
  mustCount?: boolean
  onClose: () => void
}

/** Runs one action for many books, one by one: asks first, shows the progress, and lists the failures. */
export function RunDialog({ title, lead, findings, action, progress, finished, books, act, mustCount = false, onClose }: Props) {
  const { t } = useTranslation(['reports', 'app'])
  // The list changes while the action runs; these are the books that were confirmed.
  const [confirmed] = useState(books)
  const [run, setRun] = useState<RunProgress<ListedBook> | null>(null)
  const [typed, setTyped] = useState('')
  const isOver = run !== null && run.done === run.total
  const isAllowed = !mustCount || typed.trim() === String(confirmed.length)
  const start = async () => {
    await runEach(confirmed, act, setRun)
    await refresh(['reports', 'history'])
  }
  const close = () => {
    if (run !== null && !isOver) return
    onClose()
    // The button that opened the dialog is disabled now and takes no focus.
    if (isOver) setTimeout(() => document.querySelector<HTMLElement>('h1')?.focus())
  }
  return (
    <Dialog title={isOver ? t('run.over') : title} lead={run ? undefined : lead} onClose={close}>
      {run ? (
        <>
          <Progress label={progress} done={run.done} total={run.total} />
          {isOver && <Outcome run={run} finished={finished} />}
          <Actions>
            <Button look="primary" disabled={!isOver} onClick={close}>
              {t('app:action.close')}
            </Button>
          </Actions>
        </>
      ) : (
        <Form onSend={() => isAllowed && void start()}>
          {findings}
          {mustCount && (
            <TextField
              label={t('send.count', { count: confirmed.length })}
              inputMode="numeric"
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
            />
          )}
          <SaveActions danger={mustCount} action={action} disabled={!isAllowed || confirmed.length === 0} onCancel={onClose} />
        </Form>
      )}
    </Dialog>
  )
}

function Outcome({ run, finished }: { run: RunProgress<ListedBook>; finished: (count: number) => string }) {
  const { t } = useTranslation('reports')
  const count = run.total - run.failed.length
  return (
    <>
      {count > 0 && <Notice tone="good">{finished(count)}</Notice>}
      {run.failed.length > 0 && (
        <Notice tone="bad">
          <div>
            <p>{t('run.undone', { count: run.failed.length })}</p>
            <ul className={styles['plain']}>
              {run.failed.map(({ item, failure }) => (
                <li key={item.id}>
                  {nameOf(item.student)}: {sentenceOf(failure)}
                </li>
              ))}
            </ul>
          </div>
        </Notice>
      )}
    </>
  )
}
