import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Actions, Checkbox, Form, SaveActions, SelectField } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { FailureNotice } from '../../components/page.tsx'
import { saveFile } from '../../components/save-file.ts'
import { type BookScope, booksRequest } from './book-queries.ts'
import { OutdatedNotice } from './generate-button.tsx'
import styles from './reports.module.css'

/** A blob URL that lives as long as the component. */
function useBlobUrl(bytes: Uint8Array | null): string | null {
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

/** A PDF in the viewer of the browser, to print and to save. */
export function PdfViewer({ bytes, title, name }: { bytes: Uint8Array; title: string; name: string }) {
  const { t } = useTranslation(['reports', 'app'])
  const frame = useRef<HTMLIFrameElement>(null)
  const url = useBlobUrl(bytes)
  if (!url) return null
  return (
    <div className={styles['paper']}>
      <div className={layout['row']}>
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

/** All books of a class as one document, ready for the printer. */
export function PrintDialog({ of, name, onClose }: { of: BookScope; name: string; onClose: () => void }) {
  const { t } = useTranslation(['reports', 'app'])
  const [isTwoSided, setTwoSided] = useState(true)
  const [paper, setPaper] = useState<'A4' | 'Letter'>('A4')
  const made = useMutation({
    mutationFn: () => client.reportFiles.print({ query: { ...booksRequest(of).query, paper, twoSided: isTwoSided ? 'true' : 'false' } }),
  })
  return (
    <Dialog open wide title={t('print.title')} lead={made.data ? undefined : t('print.lead')} onClose={onClose}>
      <FailureNotice failure={made.error} />
      {made.data ? (
        <>
          <PdfViewer bytes={made.data} title={t('print.title')} name={name} />
          <Actions>
            <Button autoFocus onClick={onClose}>
              {t('app:action.close')}
            </Button>
          </Actions>
        </>
      ) : (
        <Form onSend={() => made.mutate()}>
          <OutdatedNotice of={of} />
          <Checkbox label={t('print.twoSided')} checked={isTwoSided} onChange={({ target }) => setTwoSided(target.checked)} />
          <SelectField label={t('print.paper')} value={paper} onChange={({ target }) => setPaper(target.value as 'A4' | 'Letter')}>
            <option value="A4">A4</option>
            <option value="Letter">Letter</option>
          </SelectField>
          <SaveActions action={t('print.make')} busy={made.isPending} busyWord={t('app:state.makingPdf')} onCancel={onClose} />
        </Form>
      )}
    </Dialog>
  )
}
