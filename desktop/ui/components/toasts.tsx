import { Toast } from '@base-ui/react/toast'
import X from 'lucide-react/icons/x'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { sentenceOf } from '../words/failure.ts'
import { Button } from './button.tsx'
import styles from './dialog.module.css'
import { heightIn } from './height-in.ts'
import { Icon } from './icon.tsx'

const DURATION_MS = 6_000
/** More would hide too much of the menu. Older ones are shown again when a newer one is closed before their time is over. */
const MOST = 2
/** A toast younger than this stays when the page changes: it may be the reason for the change («deleted»). */
const FRESH_MS = 2_000

const manager = Toast.createToastManager<{ at: number }>()
type Message = Parameters<typeof manager.add>[0]
/** Messages from before the frame could show them; null once it can. */
let early: Message[] | null = []
const show = (message: Message) => void (early ? early.push(message) : manager.add(message))
let shown = 0

/** Shows a short message in the corner, with an action, which closes it. What must not be missed belongs on the page (`Notice`). */
export function tell(title: string, action?: { label: string; onPress: () => void }): void {
  shown += 1
  const id = `told-${shown}`
  const press = () => {
    manager.close(id)
    action?.onPress()
  }
  show({
    id,
    title,
    timeout: action ? 2 * DURATION_MS : DURATION_MS,
    data: { at: performance.now() },
    ...(action && { actionProps: { children: action.label, onClick: press } }),
  })
}

/** Shows a failure in the corner, twice as long as other messages. */
export const tellFailure = (failure: unknown) =>
  show({ title: sentenceOf(failure), type: 'bad', priority: 'high', timeout: 2 * DURATION_MS, data: { at: performance.now() } })

/** Shows the messages, in the frame of the school's pages; the sign-in page does not load it. `path`: the current page. */
export function Toasts({ path }: { path: string }) {
  useEffect(() => {
    const before = early ?? []
    early = null
    for (const message of before) manager.add(message)
    return () => {
      early = []
    }
  }, [])
  return (
    <Toast.Provider toastManager={manager} limit={MOST}>
      <ToastsOfPage path={path} />
      <Toast.Portal>
        <Toast.Viewport ref={leaveRoom} className={styles['toasts']}>
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

/** The menu, and on a telephone the page, end above the toasts. */
const leaveRoom = heightIn('--toasts', '2 * var(--space-2)')

/** Closes the toasts of a page when it is left. */
function ToastsOfPage({ path }: { path: string }) {
  const { toasts, close } = Toast.useToastManager()
  const shown = useRef(toasts)
  shown.current = toasts
  useEffect(() => {
    for (const { id, data } of path ? shown.current : []) {
      if (performance.now() - ((data as { at?: number } | undefined)?.at ?? 0) > FRESH_MS) close(id)
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
        <Toast.Close render={<Button size="small" look="quiet" />} aria-label={t('action.close')}>
          <span className={styles['closeWord']}>{t('action.close')}</span>
          <span className={styles['closeSign']}>
            <Icon of={X} />
          </span>
        </Toast.Close>
      </span>
    </Toast.Root>
  ))
}
