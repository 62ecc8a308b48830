import SearchIcon from 'lucide-react/icons/search'
import { useCallback, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/button.tsx'
import { lazyDialog } from '../../components/lazy-part.tsx'
import { keyOfShortcut } from '../../components/shortcut-key.ts'
import styles from '../frame.module.css'

const SearchDialog = lazyDialog(
  async () => (await import('./search-dialog.tsx')).SearchDialog,
  ({ onClose }) => onClose,
)
const KeysDialog = lazyDialog(
  async () => (await import('./keys-dialog.tsx')).KeysDialog,
  ({ onClose }) => onClose,
)

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
    const timer = setTimeout(() => void Promise.allSettled([SearchDialog.load(), KeysDialog.load()]), LOAD_AFTER)
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
      {isSearching && (
        <SearchDialog pages={pages} query={query} onQuery={setQuery} onClose={close} onSignOut={onSignOut} onKeys={() => setOpen('keys')} />
      )}
      {open === 'keys' && <KeysDialog onClose={close} />}
    </>
  )
}

/** Whether the target takes text: a field, or the grid, where any key begins a mark. */
const takesText = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable], [role="grid"]') !== null

const inDialog = (target: EventTarget | null): boolean => target instanceof HTMLElement && target.closest('[role="dialog"]') !== null
