import type { Reminder } from '@markbook/shared/contract/overview'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { type ReplyOf, save, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { copyText } from '../../components/copy-text.ts'
import { ConfirmDialog, DialogButton, InfoDialog } from '../../components/dialog.tsx'
import layout from '../../components/layout.module.css'
import { Loading, Notice } from '../../components/page.tsx'
import { tell, tellFailure } from '../../components/toasts.tsx'
import { namesLoopback, useServerAddress, withAddress } from '../../frame/server-address.ts'
import { enumerated } from '../../words/format.ts'
import { nameOf } from '../../words/names.ts'
import styles from './overview.module.css'
import { type OfTerm, remindersQuery } from './reminders-query.ts'

type Person = Reminder['person']

export const useReminders = (query: OfTerm) => useQuery({ ...remindersQuery(query), staleTime: 0 })

/** Sends these people one reminder each of all their open work in the term; without a mail server shows the texts to copy. */
export function RemindButton({ of, people, label }: { of: OfTerm; people: readonly Person[]; label: string }) {
  const { t, i18n } = useTranslation('overview')
  const reminders = useReminders(of)
  const remind = useSave('overview', 'remind', ['audit'])
  const userIds = people.map(({ id }) => id)
  const own = reminders.data?.people.filter(({ person }) => userIds.includes(person.id)) ?? []
  if (own.length === 0) return null
  if (!reminders.data?.can_mail)
    return (
      <DialogButton size="small" aria-label={label} dialog={<TextsDialog reminders={own} />}>
        {t('remind.text')}
      </DialogButton>
    )
  if (own.every(({ is_reminded }) => is_reminded)) return <span className={layout['note']}>{t('remind.already')}</span>
  const names = enumerated(own.filter(({ is_reminded }) => !is_reminded).map(({ person }) => nameOf(person)))
  const onSuccess = ({ sent }: ReplyOf<'overview', 'remind'>) => tell(sent > 0 ? t('remind.sent', { names }) : t('remind.already'))
  return (
    <Button
      size="small"
      aria-label={label}
      title={names}
      busy={remind.isPending}
      onClick={() => remind.mutate({ body: { ...of, userIds, language: i18n.language } }, { onSuccess, onError: tellFailure })}
    >
      {t('remind.one')}
    </Button>
  )
}

/** Reminds everybody who is behind, after a question with their number. */
export function RemindAll({ of, reminders }: { of: OfTerm; reminders: UseQueryResult<ReplyOf<'overview', 'reminders'>> }) {
  const { t, i18n } = useTranslation('overview')
  const people = reminders.data?.people ?? []
  if (people.length === 0) return null
  const waiting = people.filter(({ is_reminded }) => !is_reminded)
  if (!reminders.data?.can_mail)
    return <DialogButton dialog={<TextsDialog reminders={people} />}>{t('remind.texts', { count: people.length })}</DialogButton>
  const confirm = async () => {
    const { sent } = await save('overview', 'remind', { body: { ...of, language: i18n.language } }, ['audit'])
    tell(t('remind.done', { count: sent }))
  }
  return (
    <DialogButton
      disabled={waiting.length === 0}
      dialog={
        <ConfirmDialog
          danger={false}
          title={t('remind.allTitle')}
          text={
            <>
              {t('remind.allText', { count: waiting.length })} {enumerated(waiting.map(({ person }) => nameOf(person)))}.{' '}
              {people.length > waiting.length && t('remind.left', { count: people.length - waiting.length })}
            </>
          }
          action={t('remind.all', { count: waiting.length })}
          onConfirm={confirm}
        />
      }
    >
      {t('remind.everybody')}
    </DialogButton>
  )
}

/** Without a mail server: the texts of the reminders, to be sent in another way. */
function TextsDialog({ reminders }: { reminders: readonly Reminder[] }) {
  const { t } = useTranslation('overview')
  const address = useServerAddress()
  const shown = reminders.map((reminder) => ({ ...reminder, text: withAddress(reminder.text, address) }))
  const copy = async (text: string) => tell((await copyText(text)) ? t('remind.copied') : t('remind.notCopied'))
  return (
    <InfoDialog wide title={t('remind.noMailTitle')}>
      <Notice>{t('remind.noMail')}</Notice>
      {shown.some(({ text }) => namesLoopback(text)) && <Notice tone="warn">{t('remind.here')}</Notice>}
      {reminders.length === 0 && <Loading />}
      <ul className={layout['list']}>
        {shown.map(({ person, email, text }) => (
          <li key={person.id} className={layout['stack']}>
            <div className={layout['split']}>
              <span>
                <strong>{nameOf(person)}</strong> <span className={layout['note']}>{email}</span>
              </span>
              <Button size="small" aria-label={t('remind.copyFor', { name: nameOf(person) })} onClick={() => void copy(text)}>
                {t('remind.copy')}
              </Button>
            </div>
            <pre className={styles['mail']}>{text}</pre>
          </li>
        ))}
      </ul>
    </InfoDialog>
  )
}
