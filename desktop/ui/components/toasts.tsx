import { Toast } from '@base-ui/react/toast'
import { type ReactNode, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { sentenceOf } from '../words/failure.ts'
import { Button } from './button.tsx'
import styles from './dialog.module.css'

const LASTS = 6_000
/** What is this old when a page goes was news of that page, ms; younger news is why the page goes («deleted»). */
const OLD = 2_000

/** Short news at the corner: `const { tell, tellFailure } = useToasts()`. What must not be missed belongs on the page (`Notice`). */
export function useToasts() {
  const { add } = Toast.useToastManager()
  return {
    tell: (title: string, action?: { label: string; onPress: () => void }) =>
      add({
        title,
        timeout: LASTS,
        data: { at: performance.now() },
        ...(action && { actionProps: { children: action.label, onClick: action.onPress } }),
      }),
    tellFailure: (failure: unknown) =>
      add({ title: sentenceOf(failure), type: 'bad', priority: 'high', timeout: 2 * LASTS, data: { at: performance.now() } }),
  }
}

export const Toasts = ({ children }: { children: ReactNode }) => (
  <Toast.Provider>
    {children}
    <Toast.Portal>
      <Toast.Viewport className={styles['toasts']}>
        <List />
      </Toast.Viewport>
    </Toast.Portal>
  </Toast.Provider>
)

/** Lets the news of a page go with it. `path`: the page that is open. */
export function ToastsOfPage({ path }: { path: string }) {
  const { toasts, close } = Toast.useToastManager()
  const shown = useRef(toasts)
  shown.current = toasts
  useEffect(() => {
    for (const { id, data } of path ? shown.current : []) {
      if (performance.now() - ((data as { at?: number } | undefined)?.at ?? 0) > OLD) close(id)
    }
  }, [path, close])
  return null
}

function List() {
  const { toasts } = Toast.useToastManager()
  const { t } = useTranslation('app')
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className={styles['toast']} data-type={toast.type}>
      <Toast.Title />
      <span>
        {toast.actionProps && <Toast.Action render={<Button size="small" look="quiet" />} />}
        <Toast.Close render={<Button size="small" look="quiet" />}>{t('action.close')}</Toast.Close>
      </span>
    </Toast.Root>
  ))
}
