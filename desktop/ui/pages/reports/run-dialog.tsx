import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { refresh } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Actions, Form, TextField } from '../../components/field.tsx'
import { Notice, Progress } from '../../components/page.tsx'
import { sentenceOf } from '../../words/failure.ts'
import { fullName } from '../results/names.ts'
import type { ListedBook } from './kept-books.ts'
import styles from './reports.module.css'
import { type Run, runEach, type Undone } from './run-each.ts'

type Props = {
  title: string
  lead: ReactNode
  /** What is open for these books, to be read before the step is taken. */
  open: ReactNode
  action: string
  progress: string
  /** Said when it is over and all went well. */
  finished: (count: number) => string
  books: readonly ListedBook[]
  act: (book: ListedBook) => Promise<unknown>
  /** The number of books has to be typed first: what follows cannot be taken back. */
  mustCount?: boolean
  onClose: () => void
}

/** The same step for many books, one by one: asks first, shows how far it is, and names whatever refused. */
export function RunDialog({ title, lead, open, action, progress, finished, books, act, mustCount = false, onClose }: Props) {
  const { t } = useTranslation(['reports', 'app'])
  const queries = useQueryClient()
  // The list behind the window changes while the books do; these are the ones that were agreed to.
  const [agreed] = useState(books)
  const [run, setRun] = useState<Run<ListedBook> | null>(null)
  const [typed, setTyped] = useState('')
  const isOver = run !== null && run.done === run.total
  const isAllowed = !mustCount || typed.trim() === String(agreed.length)
  const start = async () => {
    await runEach(agreed, act, setRun)
    await refresh(queries, ['reports', 'history'])
  }
  const close = () => {
    if (run !== null && !isOver) return
    onClose()
    // The button that opened this has nothing left to do and takes no focus.
    if (isOver) setTimeout(() => document.querySelector<HTMLElement>('h1')?.focus())
  }
  return (
    <Dialog open title={isOver ? t('run.over') : title} lead={run ? undefined : lead} onClose={close}>
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
          {open}
          {mustCount && (
            <TextField
              label={t('send.count', { count: agreed.length })}
              inputMode="numeric"
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
            />
          )}
          <Actions>
            <Button onClick={onClose}>{t('app:action.cancel')}</Button>
            <Button type="submit" look={mustCount ? 'danger' : 'primary'} disabled={!isAllowed || agreed.length === 0}>
              {action}
            </Button>
          </Actions>
        </Form>
      )}
    </Dialog>
  )
}

function Outcome({ run, finished }: { run: Run<ListedBook>; finished: (count: number) => string }) {
  const { t } = useTranslation('reports')
  const count = run.total - run.undone.length
  return (
    <>
      {count > 0 && <Notice tone="good">{finished(count)}</Notice>}
      {run.undone.length > 0 && (
        <Notice tone="bad">
          <div>
            <p>{t('run.undone', { count: run.undone.length })}</p>
            <ul className={styles['plain']}>
              {run.undone.map(({ item, failure }: Undone<ListedBook>) => (
                <li key={item.id}>
                  {fullName(item.student)}: {sentenceOf(failure)}
                </li>
              ))}
            </ul>
          </div>
        </Notice>
      )}
    </>
  )
}
