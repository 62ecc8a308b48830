import type { ReportDetail } from '@markbook/shared/contract/reports'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { refresh, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Actions, Checkbox, Form } from '../../components/field.tsx'
import { FailureNotice } from '../../components/page.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { fullName } from '../results/names.ts'
import { OpenPoints } from './open-points.tsx'

/** What can be done with one book where it stands: calculated again, published, sent. */
export function BookSteps({ book }: { book: ReportDetail }) {
  const { t } = useTranslation('reports')
  const { tell, tellFailure } = useToasts()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [isSending, setSending] = useState(false)
  const regenerate = useSave('reports', 'regenerate')
  const [isPublishing, setPublishing] = useState(false)
  const params = { id: book.id }
  // Somebody else may have moved the book meanwhile: where it stands now is shown beside what was refused.
  const onError = (failure: unknown) => {
    tellFailure(failure)
    void refresh(queries, ['reports'])
  }
  /** The places of the others are in books of their own, which stay as they are. */
  const told = ({ overall_average, position }: Pick<ReportDetail, 'overall_average' | 'position'>) => {
    const isSame = overall_average === book.overall_average && position === book.position
    if (isSame) return tell(t('generate.one'))
    const type = book.report_type === 'year_end' ? book.report_type : undefined
    const seeWhich = () =>
      void navigate({ to: '/reports/$classId', params: { classId: book.student_group_id }, search: { type, view: 'check' } })
    return tell(t('generate.others'), { label: t('generate.toOthers'), onPress: seeWhich })
  }
  if (book.status === 'sent_to_ministry') return <span>{t('send.sent')}</span>
  return (
    <>
      <Button
        busy={regenerate.isPending}
        busyWord={t('generate.running')}
        onClick={() => regenerate.mutate({ params }, { onSuccess: told, onError })}
      >
        {t('generate.again')}
      </Button>
      {book.status === 'draft' ? (
        <Button look="primary" onClick={() => setPublishing(true)}>
          {t('publish.one')}
        </Button>
      ) : (
        <Button look="danger" onClick={() => setSending(true)}>
          {t('send.one')}
        </Button>
      )}
      {isPublishing && <PublishDialog book={book} onClose={() => setPublishing(false)} />}
      {isSending && <SendDialog book={book} onClose={() => setSending(false)} />}
    </>
  )
}

const OpenHere = ({ book }: { book: ReportDetail }) => (
  <OpenPoints
    of={{ classId: book.student_group_id, termId: book.term_id, type: book.report_type }}
    yearId={book.academic_year_id}
    books={[book]}
  />
)

function PublishDialog({ book, onClose }: { book: ReportDetail; onClose: () => void }) {
  const { t } = useTranslation(['reports', 'app'])
  const { tell } = useToasts()
  const queries = useQueryClient()
  const publish = useSave('reports', 'publish')
  const onSuccess = () => {
    tell(t('publish.done', { count: 1 }))
    onClose()
  }
  const send = () => publish.mutate({ params: { id: book.id } }, { onSuccess, onError: () => void refresh(queries, ['reports']) })
  return (
    <Dialog open title={t('publish.titleOne', { name: fullName(book.student) })} lead={t('publish.textOne')} onClose={onClose}>
      <OpenHere book={book} />
      <FailureNotice failure={publish.error} />
      <Actions>
        <Button onClick={onClose}>{t('app:action.cancel')}</Button>
        <Button look="primary" busy={publish.isPending} busyWord={t('publish.running')} onClick={send}>
          {t('publish.one')}
        </Button>
      </Actions>
    </Dialog>
  )
}

function SendDialog({ book, onClose }: { book: ReportDetail; onClose: () => void }) {
  const { t } = useTranslation(['reports', 'app'])
  const { tell } = useToasts()
  const [isSure, setSure] = useState(false)
  const send = useSave('reports', 'sendToMinistry')
  const onSuccess = () => {
    tell(t('send.done', { count: 1 }))
    onClose()
    setTimeout(() => document.querySelector<HTMLElement>('h1')?.focus())
  }
  return (
    <Dialog open title={t('send.titleOne', { name: fullName(book.student) })} lead={t('send.forEver')} onClose={onClose}>
      <Form onSend={() => isSure && send.mutate({ params: { id: book.id } }, { onSuccess })}>
        <OpenHere book={book} />
        <FailureNotice failure={send.error} />
        <Checkbox label={t('send.sure')} checked={isSure} onChange={({ target }) => setSure(target.checked)} />
        <Actions>
          <Button onClick={onClose}>{t('app:action.cancel')}</Button>
          <Button type="submit" look="danger" disabled={!isSure} busy={send.isPending} busyWord={t('send.running')}>
            {t('send.one')}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  )
}
