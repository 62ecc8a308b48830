import { Failure } from '@markbook/shared/failures'
import SearchIcon from 'lucide-react/icons/search'
import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/button.tsx'
import { tellFailure } from '../../components/toasts.tsx'
import styles from '../frame.module.css'

type SearchProps = Props & { onClose: () => void; onKeys: () => void }
type Loaded<P> = Promise<{ default: ComponentType<P> }>
const loadSearch = (): Loaded<SearchProps> =>
  import('./search-dialog.tsx').then(({ SearchDialog: dialog }) => ({ default: dialog }), unreachable)
const loadKeys = (): Loaded<{ onClose: () => void }> =>
  import('./keys-dialog.tsx').then(({ KeysDialog: dialog }) => ({ default: dialog }), unreachable)
const SearchDialog = lazy(loadSearch)
const KeysDialog = lazy(loadKeys)

/** Not loaded yet, and the server is away: that is no reason to leave the page. */
function unreachable() {
  return {
    default: function Unreachable({ onClose }: { onClose: () => void }) {
      useEffect(() => {
        tellFailure(new Failure(0, 'unreachable', 'The server cannot be reached.'))
        onClose()
      }, [onClose])
      return null
    },
  }
}

/** Loaded after the page, ms: whoever presses Ctrl+K types on at once. */
const LOAD_AFTER = 3_000

type Props = { pages: readonly { to: string; name: string }[]; onSignOut: () => void }

/** The button in the head and the keys Ctrl+K (find) and ? (the keys). */
export function Search({ pages, onSignOut }: Props) {
  const { t } = useTranslation('app')
  const [open, setOpen] = useState<'search' | 'keys' | null>(null)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isSearch = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k'
      const isKeys = event.key === '?' && !event.ctrlKey && !event.metaKey && !event.altKey && !takesText(event.target)
      // What stands over the page is answered first.
      if ((!isSearch && !isKeys) || document.querySelector('[role="dialog"][aria-modal="true"], [data-base-ui-inert]')) return
      event.preventDefault()
      setOpen(isSearch ? 'search' : 'keys')
    }
    // Before the grid of marks, which keeps its keys to itself.
    addEventListener('keydown', onKey, true)
    const timer = setTimeout(() => void Promise.all([loadSearch(), loadKeys()]), LOAD_AFTER)
    return () => {
      removeEventListener('keydown', onKey, true)
      clearTimeout(timer)
    }
  }, [])
  const close = () => setOpen(null)
  return (
    <>
      <Button
        size="small"
        icon={SearchIcon}
        className={styles['search'] ?? ''}
        aria-label={t('search.title')}
        aria-keyshortcuts="Control+K"
        onClick={() => setOpen('search')}
      >
        <span>{t('search.title')}</span>
      </Button>
      <Suspense fallback={null}>
        {open === 'search' && <SearchDialog pages={pages} onClose={close} onSignOut={onSignOut} onKeys={() => setOpen('keys')} />}
        {open === 'keys' && <KeysDialog onClose={close} />}
      </Suspense>
    </>
  )
}

/** A field, or the grid of marks, in which every key begins a mark. */
const takesText = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable], [role="grid"]') !== null
