import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/page.tsx'

/** `stored`: the value of the server, `typed`: that of the form, both as text; `read` asks the server for its present one. */
type Form = { stored: string; typed: string; isSaving: boolean; take: () => void; read: () => Promise<string> }

/**
 * For a form that is saved as a whole: another value that was saved since is taken over where nothing was typed, and otherwise shown as a
 * notice before anything is written over it.
 */
export function useMeanwhile({ stored, typed, isSaving, take, read }: Form) {
  /** The value that the form began with. */
  const [known, setKnown] = useState(stored)
  /** The value that the form wrote last: it may come back from the server before or after the reply to the write. */
  const [written, setWritten] = useState<string | null>(null)
  const [isReading, setReading] = useState(false)
  const isOther = stored !== known && stored !== written && !isSaving
  if (stored !== known && !isSaving && (!isOther || typed === known || typed === stored)) {
    setKnown(stored)
    if (isOther && typed === known) take()
  }
  /** Whether the server has what the page shows, so that nothing is written over that the person has not been told of. */
  const isToldOf = async (): Promise<boolean> => {
    setReading(true)
    // Without an answer the write fails too, and says why.
    const present = await read().catch(() => stored)
    setReading(false)
    return present === stored || present === typed
  }
  const notice = isOther && <MeanwhileNotice onTake={take} />
  return { notice, isToldOf, isReading, noteWritten: setWritten }
}

function MeanwhileNotice({ onTake }: { onTake: () => void }) {
  const { t } = useTranslation('school')
  return (
    <Notice tone="warn">
      <span>{t('meanwhile')}</span>
      <Button size="small" onClick={onTake}>
        {t('takeTheirs')}
      </Button>
    </Notice>
  )
}
