import type { ReportDetail } from '@markbook/shared/contract/reports'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { refresh, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { FormDialog } from '../../components/dialog.tsx'
import { Checkbox } from '../../components/field.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { nameOf } from '../../words/names.ts'
import { scopeOf } from './book-queries.ts'
import { OpenFindings } from './open-findings.tsx'

/** The actions of one book by its status: calculate again, publish, send. */
export function BookStatusActions({ book }: { book: ReportDetail }) {
  const { t } = useTranslation('reports')
  const { tell, tellFailure } = useToasts()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [isSending, setSending] = useState(false)
  const regenerate = useSave('reports', 'regenerate')
  const [isPublishing, setPublishing] = useState(false)
  const params = { id: book.id }
  // Another person may have changed the status meanwhile.
  const onError = (failure: unknown) => {
    tellFailure(failure)
    void refresh(queries, ['reports'])
  }
  /** A new average changes the positions in other books, which stay as they are until they are calculated again. */
  const onRegenerated = ({ overall_average, position }: Pick<ReportDetail, 'overall_average' | 'position'>) => {
    const isSame = overall_average === book.overall_average && position === book.position
    if (isSame) return tell(t('generate.one'))
    const type = book.report_type === 'year_end' ? book.report_type : undefined
    const openCheck = () =>
      void navigate({ to: '/reports/$classId', params: { classId: book.student_group_id }, search: { type, view: 'check' } })
    return tell(t('generate.others'), { label: t('generate.toOthers'), onPress: openCheck })
  }
  if (book.status === 'sent_to_ministry') return <span>{t('send.sent')}</span>
  return (
    <>
      <Button
        busy={regenerate.isPending}
        busyWord={t('generate.running')}
        onClick={() => regenerate.mutate({ params }, { onSuccess: onRegenerated, onError })}
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

const BookFindings = ({ book }: { book: ReportDetail }) => <OpenFindings of={scopeOf(book)} yearId={book.academic_year_id} books={[book]} />

function PublishDialog({ book, onClose }: { book: ReportDetail; onClose: () => void }) {
  const { t } = useTranslation('reports')
  const { tell } = useToasts()
  const queries = useQueryClient()
  const publish = useSave('reports', 'publish')
  const onSuccess = () => {
    tell(t('publish.done', { count: 1 }))
    onClose()
  }
  const send = () => publish.mutate({ params: { id: book.id } }, { onSuccess, onError: () => void refresh(queries, ['reports']) })
  return (
    <FormDialog
      title={t('publish.titleOne', { name: nameOf(book.student) })}
      lead={t('publish.textOne')}
      failure={publish.error}
      action={t('publish.one')}
      busy={publish.isPending}
      busyWord={t('publish.running')}
      onSave={send}
      onClose={onClose}
    >
      <BookFindings book={book} />
    </FormDialog>
  )
}

function SendDialog({ book, onClose }: { book: ReportDetail; onClose: () => void }) {
  const { t } = useTranslation('reports')
  const { tell } = useToasts()
  const [isSure, setSure] = useState(false)
  const send = useSave('reports', 'sendToMinistry')
  const onSuccess = () => {
    tell(t('send.done', { count: 1 }))
    onClose()
    setTimeout(() => document.querySelector<HTMLElement>('h1')?.focus())
  }
  return (
    <FormDialog
      danger
      title={t('send.titleOne', { name: nameOf(book.student) })}
      lead={t('send.forEver')}
      failure={send.error}
      action={t('send.one')}
      disabled={!isSure}
      busy={send.isPending}
      busyWord={t('send.running')}
      onSave={() => isSure && send.mutate({ params: { id: book.id } }, { onSuccess })}
      onClose={onClose}
    >
      <BookFindings book={book} />
      <Checkbox label={t('send.sure')} checked={isSure} onChange={({ target }) => setSure(target.checked)} />
    </FormDialog>
  )
}
