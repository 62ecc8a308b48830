import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/button.tsx'
import { saveFile } from './file-saving.ts'
import styles from './reports.module.css'

/** A blob's address for as long as it is shown; the bytes stay in this window and nothing of them is kept. */
function useAddress(bytes: Uint8Array | null): string | null {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (!bytes) return
    const made = URL.createObjectURL(new Blob([bytes as BlobPart], { type: 'application/pdf' }))
    setUrl(made)
    return () => {
      URL.revokeObjectURL(made)
      setUrl(null)
    }
  }, [bytes])
  return url
}

/** A PDF as it will be printed, in the browser's own viewer; to print and to save. */
export function Paper({ bytes, title, name }: { bytes: Uint8Array; title: string; name: string }) {
  const { t } = useTranslation(['reports', 'app'])
  const frame = useRef<HTMLIFrameElement>(null)
  const url = useAddress(bytes)
  if (!url) return null
  return (
    <div className={styles['paper']}>
      <div className={styles['paperBar']}>
        <Button size="small" onClick={() => frame.current?.contentWindow?.print()}>
          {t('app:action.print')}
        </Button>
        <Button size="small" onClick={() => saveFile(bytes, name, 'application/pdf')}>
          {t('app:action.download')}
        </Button>
        <a href={url} target="_blank" rel="noreferrer">
          {t('paper.window')}
        </a>
      </div>
      <iframe ref={frame} src={url} title={title} className={styles['paperFrame']} />
    </div>
  )
}
