import type { Report, ReportDetail } from '@markbook/shared/contract/reports'
import { isLocked, isSentBack, lacksApproval, waitsForApproval } from '@markbook/shared/domain/report-moves'
import { limits } from '@markbook/shared/limits'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, refresh, save, useSave } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Form, SaveActions, TextArea } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Badge, FailureNotice, Notice } from '../../components/page.tsx'
import { tellFailure } from '../../components/toasts.tsx'
import { useForm } from '../../components/use-form.ts'
import { day, localDay } from '../../words/format.ts'
import { nameOf } from '../../words/names.ts'
import styles from './reports.module.css'

type Approved = Pick<Report, 'status' | 'approved_at' | 'sent_back_at' | 'class_teacher_remark'> & { is_changed_since_sent_back: boolean }

/** Whether the school approves report books, in the form that the domain rules take. */
export const useAsking = () => ({ approves_reports: useQuery(ask('schools', 'mine')).data?.approves_reports ?? null })

/** Tells a class teacher what the report books need before they can be published. */
export function ApprovalNotice({ books }: { books: readonly Approved[] }) {
  const { t } = useTranslation('reports')
  const asking = useAsking()
  const isOwn = !isAdmin(useProfile())
  const lacking = books.some((book) => book.status !== 'sent_to_ministry' && lacksApproval(asking, book))
  return isOwn && lacking ? <Notice>{t('approval.how')}</Notice> : null
}

/** The state of approval of a report book, in a school that approves them; renders nothing for one that was sent. */
export function ApprovalBadge({ book }: { book: Approved }) {
  const { t } = useTranslation('reports')
  const asking = useAsking()
  if (asking.approves_reports !== true || book.status === 'sent_to_ministry') return null
  if (!lacksApproval(asking, book)) return <Badge tone="good">{t('approval.approved')}</Badge>
  if (isSentBack(asking, book)) return <Badge tone="warn">{t('approval.sentBack')}</Badge>
  if (!waitsForApproval(asking, book)) return <Badge>{t('approval.notYet')}</Badge>
  return <Badge tone="warn">{t(book.sent_back_at === null ? 'approval.waits' : 'approval.changed')}</Badge>
}

/** By whom, when and why a report book was sent back, and whether it was changed since. */
export function SentBackNotice({ book }: { book: ReportDetail }) {
  const { t } = useTranslation('reports')
  const asking = useAsking()
  const takeBack = useSave('reports', 'approve', ['overview', 'history'])
  const mayApprove = isAdmin(useProfile())
  const { sent_back_at: at, sent_back_person: person, sent_back_reason: reason } = book
  if (at === null || isLocked(book.status) || !lacksApproval(asking, book)) return null
  const words = { day: day(localDay(at)), name: person ? nameOf(person) : '' }
  const then = !book.is_changed_since_sent_back ? 'unchanged' : waitsForApproval(asking, book) ? 'changed' : 'changedNoRemark'
  // Another administrator may have decided otherwise meanwhile.
  const onError = (failure: unknown) => {
    tellFailure(failure)
    void refresh(['reports'])
  }
  const onPress = () => takeBack.mutate({ params: { id: book.id }, body: { isApproved: false, expectedAt: at } }, { onError })
  return (
    <Notice>
      <div className={styles['sentBack']}>
        <p>{t(person ? 'sendBack.by' : 'sendBack.bySomebody', words)}</p>
        <blockquote>
          <p dir="auto">{reason}</p>
        </blockquote>
        {/* Always one line, so that nothing moves under the pointer at the first change. */}
        <p>{t(`sendBack.${then}`)}</p>
        {mayApprove && (
          <Button size="small" busy={takeBack.isPending} onClick={onPress}>
            {t('sendBack.undo')}
          </Button>
        )}
      </div>
    </Notice>
  )
}

/** The reason for sending a pupil's report book back, beside the fields of its class teacher, until it is settled. */
export function SentBackReason({ book }: { book: Report | undefined }) {
  const { t } = useTranslation('reports')
  const asking = useAsking()
  if (!book || book.sent_back_at === null || isLocked(book.status) || !lacksApproval(asking, book)) return null
  return (
    <div className={`${styles['sentBack']} ${styles['reason']}`}>
      <p className={layout['note']}>{t('sendBack.on', { day: day(localDay(book.sent_back_at)) })}</p>
      <blockquote>
        <p dir="auto">{book.sent_back_reason}</p>
      </blockquote>
    </div>
  )
}

type SendBackProps = { book: ReportDetail; typed: string; onTry: (reason: string) => void; onClose: () => void }

/** Asks for the reason. `typed`: the text typed before the report book was read again. */
export function SendBackDialog({ book, typed, onTry, onClose }: SendBackProps) {
  const { t } = useTranslation('reports')
  // The content that the administrator has read; the data may be read again behind the dialog.
  const [contentHash] = useState(book.content_hash)
  const form = useForm({
    initial: { reason: typed },
    required: ['reason'],
    save: async ({ reason }) => {
      onTry(reason)
      const body = { isApproved: false, reason: reason.trim(), contentHash }
      await save('reports', 'approve', { params: { id: book.id }, body }).catch((failure) => {
        void refresh(['reports'])
        throw failure
      })
      await refresh(['overview', 'history'])
      onTry('')
      return t('sendBack.done')
    },
    onSaved: onClose,
  })
  const name = nameOf(book.student)
  return (
    <Dialog title={t('sendBack.title', { name })} lead={t('sendBack.text')} onClose={onClose}>
      <Form onSend={form.send}>
        <div className={layout['spaced']}>
          <FailureNotice failure={form.failure} />
          <TextArea label={t('sendBack.reason')} rows={4} maxLength={limits.text.reason} {...form.field('reason')} />
          <SaveActions action={t('sendBack.one')} busy={form.busy} busyWord={t('sendBack.running')} />
        </div>
      </Form>
    </Dialog>
  )
}
