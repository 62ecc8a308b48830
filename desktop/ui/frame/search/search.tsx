import { Failure } from '@markbook/shared/failures'
import SearchIcon from 'lucide-react/icons/search'
import { type ComponentType, lazy, Suspense, useCallback, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/button.tsx'
import { keyOfShortcut } from '../../components/shortcut-key.ts'
import { tellFailure } from '../../components/toasts.tsx'
import styles from '../frame.module.css'

type SearchProps = Props & { query: string; onQuery: (query: string) => void; onClose: () => void; onKeys: () => void }
type Loaded<P> = Promise<{ default: ComponentType<P> }>
const loadSearch = (): Loaded<SearchProps> =>
  import('./search-dialog.tsx').then(({ SearchDialog: dialog }) => ({ default: dialog }), unreachable)
const loadKeys = (): Loaded<{ onClose: () => void }> =>
  import('./keys-dialog.tsx').then(({ KeysDialog: dialog }) => ({ default: dialog }), unreachable)
const SearchDialog = lazy(loadSearch)
const KeysDialog = lazy(loadKeys)

/** The dialog could not be loaded because the server is away; a message is enough. */
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

/** The dialog is loaded this many ms after the page, so that it is there when somebody presses Ctrl+K. */
const LOAD_AFTER = 3_000

type Props = { pages: readonly { to: string; name: string }[]; onSignOut: () => void }

/** The search button of the frame, and the keys Ctrl+K (search) and ? (list of keys). */
export function Search({ pages, onSignOut }: Props) {
  const { t } = useTranslation('app')
  const [open, setOpen] = useState<'search' | 'keys' | null>(null)
  const [query, setQuery] = useState('')
  const isSearching = open === 'search'
  const close = useCallback(() => setOpen(null), [])
  const openSearch = useCallback(() => {
    setQuery('')
    setOpen('search')
  }, [])
  useEffect(() => {
    if (!isSearching) return
    // Collects the keys typed after Ctrl+K until the dialog has the focus, a frame or a download later; they must not reach the page or the
    // grid.
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || inDialog(event.target)) return
      event.preventDefault()
      event.stopPropagation()
      if (event.key === 'Escape') close()
      else if (event.key === 'Backspace') setQuery((before) => before.slice(0, -1))
      else if (event.key.length === 1) setQuery((before) => before + event.key)
    }
    addEventListener('keydown', onKey, true)
    return () => removeEventListener('keydown', onKey, true)
  }, [isSearching, close])
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isSearch = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && keyOfShortcut(event).toLowerCase() === 'k'
      const isKeys = event.key === '?' && !event.ctrlKey && !event.metaKey && !event.altKey && !takesText(event.target)
      // Not while a dialog is open.
      if ((!isSearch && !isKeys) || document.querySelector('[role="dialog"][aria-modal="true"], [data-base-ui-inert]')) return
      event.preventDefault()
      if (isSearch) openSearch()
      else setOpen('keys')
    }
    // In the capture phase: the grid stops the propagation of its keys.
    addEventListener('keydown', onKey, true)
    const timer = setTimeout(() => void Promise.all([loadSearch(), loadKeys()]), LOAD_AFTER)
    return () => {
      removeEventListener('keydown', onKey, true)
      clearTimeout(timer)
    }
  }, [openSearch])
  return (
    <>
      <Button
        size="small"
        icon={SearchIcon}
        className={styles['search'] ?? ''}
        aria-label={t('search.title')}
        aria-keyshortcuts="Control+K"
        onClick={openSearch}
      >
        <span>{t('search.title')}</span>
      </Button>
      <Suspense fallback={null}>
        {isSearching && (
          <SearchDialog
            pages={pages}
            query={query}
            onQuery={setQuery}
            onClose={close}
            onSignOut={onSignOut}
            onKeys={() => setOpen('keys')}
          />
        )}
        {open === 'keys' && <KeysDialog onClose={close} />}
      </Suspense>
    </>
  )
}

/** Whether the target takes text: a field, or the grid, where any key begins a mark. */
const takesText = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable], [role="grid"]') !== null

const inDialog = (target: EventTarget | null): boolean => target instanceof HTMLElement && target.closest('[role="dialog"]') !== null
