import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Actions, Checkbox, Form, SelectField } from '../../components/field.tsx'
import { FailureNotice } from '../../components/page.tsx'
import { BehindNotice } from './behind-notice.tsx'
import { Paper } from './paper.tsx'
import { booksAsked, type OfBooks } from './use-books.ts'

/** All books of a class as one document, ready for the printer. */
export function PrintDialog({ of, name, onClose }: { of: OfBooks; name: string; onClose: () => void }) {
  const { t } = useTranslation(['reports', 'app'])
  const [isTwoSided, setTwoSided] = useState(true)
  const [paper, setPaper] = useState<'A4' | 'Letter'>('A4')
  const made = useMutation({
    mutationFn: () => client.reportFiles.print({ query: { ...booksAsked(of).query, paper, twoSided: isTwoSided ? 'true' : 'false' } }),
  })
  return (
    <Dialog open wide title={t('print.title')} lead={made.data ? undefined : t('print.lead')} onClose={onClose}>
      <FailureNotice failure={made.error} />
      {made.data ? (
        <Paper bytes={made.data} title={t('print.title')} name={name} />
      ) : (
        <Form onSend={() => made.mutate()}>
          <BehindNotice of={of} />
          <Checkbox label={t('print.twoSided')} checked={isTwoSided} onChange={({ target }) => setTwoSided(target.checked)} />
          <SelectField label={t('print.paper')} value={paper} onChange={({ target }) => setPaper(target.value as 'A4' | 'Letter')}>
            <option value="A4">A4</option>
            <option value="Letter">Letter</option>
          </SelectField>
          <Actions>
            <Button onClick={onClose}>{t('app:action.cancel')}</Button>
            <Button type="submit" look="primary" busy={made.isPending} busyWord={t('app:state.makingPdf')}>
              {t('print.make')}
            </Button>
          </Actions>
        </Form>
      )}
      {made.data && (
        <Actions>
          <Button autoFocus onClick={onClose}>
            {t('app:action.close')}
          </Button>
        </Actions>
      )}
    </Dialog>
  )
}
