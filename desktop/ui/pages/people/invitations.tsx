import type { NewInvitation } from '@markbook/shared/contract/invitations'
import { limits } from '@markbook/shared/limits'
import { useQuery } from '@tanstack/react-query'
import Plus from 'lucide-react/icons/plus'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, askWhole, type ReplyOf, save } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { copyText } from '../../components/copy-text.ts'
import { CloseButton, ConfirmButton, Dialog, DialogButton } from '../../components/dialog.tsx'
import { Actions, Checkbox, Form, Options, SaveActions, SelectField, TextArea } from '../../components/field.tsx'
import { Card, FailureNotice, Notice } from '../../components/page.tsx'
import { PrintSheet } from '../../components/print-sheet.tsx'
import { AnswerTable, Table } from '../../components/table.tsx'
import { tell } from '../../components/toasts.tsx'
import { useForm } from '../../components/use-form.ts'
import { namesLoopback, useServerAddress, withAddress } from '../../frame/server-address.ts'
import { day, enumerated, firstOf, localDay, moment } from '../../words/format.ts'
import { nameOf } from '../../words/names.ts'
import { typedAddresses } from './addresses.ts'
import styles from './people.module.css'
import { ROLES, type Role } from './roles.ts'

/** `names`: as they were typed, by address. An invitation has none, since each person gives their own. */
type Invited = ReplyOf<'invitations', 'invite'> & { names: ReadonlyMap<string, string> }

/** The invited people who have not answered, and a button to invite more. */
export function Invitations() {
  const { t } = useTranslation('people')
  const open = useQuery(askWhole('invitations', 'list'))
  return (
    <Card
      title={t('invitations')}
      actions={
        <DialogButton look="primary" icon={Plus} dialog={<InviteDialog />}>
          {t('invite')}
        </DialogButton>
      }
    >
      <AnswerTable
        of={open}
        empty={t('noInvitations')}
        label={t('invitations')}
        columns={[
          { head: t('email'), cell: ({ email }) => email },
          { head: t('role'), cell: ({ role }) => t(role) },
          { head: t('invitedBy'), cell: ({ invited_by }) => nameOf(invited_by) },
          { head: t('invitedAt'), cell: ({ invited_at }) => moment(invited_at) },
          { head: t('countsUntil'), cell: ({ expires_at }) => day(localDay(expires_at)) },
          { head: t('withdraw'), look: 'hidden', cell: (invitation) => <Withdraw {...invitation} /> },
        ]}
      />
    </Card>
  )
}

function Withdraw({ id, email }: { id: string; email: string }) {
  const { t } = useTranslation('people')
  return (
    <ConfirmButton
      size="small"
      aria-label={t('withdrawOf', { email })}
      title={t('withdrawTitle', { email })}
      text={t('withdrawText')}
      action={t('withdraw')}
      onConfirm={() => save('invitations', 'withdraw', { params: { id } })}
    >
      {t('withdraw')}
    </ConfirmButton>
  )
}

function InviteDialog() {
  const { t } = useTranslation('people')
  const [invited, setInvited] = useState<Invited>()
  const address = useServerAddress()
  return (
    <Dialog
      wide
      title={t(invited ? 'invitedTitle' : 'invite')}
      lead={t(invited ? 'invitedLead' : 'inviteLead')}
      shownOnce={invited !== undefined}
    >
      {invited ? <NewInvitations invited={reachedAt(address, invited)} /> : <InviteForm onInvited={setInvited} />}
    </Dialog>
  )
}

/** Replaces the server's address in the links by the one for other computers. */
const reachedAt = (address: string | undefined, { invitations, ...rest }: Invited): Invited => ({
  ...rest,
  invitations: invitations.map((one) => ({ ...one, url: withAddress(one.url, address) })),
})

function InviteForm({ onInvited }: { onInvited: (invited: Invited) => void }) {
  const { t } = useTranslation(['people', 'app'])
  const methods = useQuery(ask('outage', 'ways'))
  const hasMail = methods.data !== undefined && methods.data.mail !== 'console'
  const { perRequest } = limits.invitations
  const { draft, set, field, send, isChecked, busy, failure } = useForm({
    initial: { addresses: '', role: 'teacher' as Role, byMail: true },
    required: ['addresses'],
    isValid: ({ addresses }) => problemOf(addresses) === undefined,
    save: async ({ addresses, role, byMail }) => {
      const typed = typedAddresses(addresses)
      const people = typed.addresses.map((email) => ({ email, role }))
      onInvited({ ...(await save('invitations', 'invite', { body: { people, byMail: byMail && hasMail } })), names: typed.names })
    },
    // The dialog stays open, and shows the codes.
    onSaved: () => {},
  })
  const problemOf = (text: string): string | undefined => {
    const { addresses, wrong } = typedAddresses(text)
    if (wrong.length > 0) return t('notAddresses', { texts: enumerated(wrong.slice(0, 5)) })
    return addresses.length > perRequest ? t('tooMany', { count: perRequest }) : undefined
  }
  const { error, ...addresses } = field('addresses')
  const { heading, names } = typedAddresses(draft.addresses)
  return (
    <Form onSend={send}>
      <TextArea
        {...addresses}
        label={t('addresses')}
        hint={t('addressesHint')}
        rows={6}
        spellCheck={false}
        autoFocus
        error={(isChecked ? problemOf(draft.addresses) : undefined) ?? error}
      />
      {heading !== null && <Notice>{t('headingLeftOut', { heading })}</Notice>}
      {names.size > 0 && <Notice>{t('namesKept', { names: firstOf([...names.values()], 8, '; ') })}</Notice>}
      <SelectField label={t('inviteAs')} value={draft.role} onChange={({ target }) => set({ role: target.value as Role })}>
        <Options of={ROLES.map((id) => ({ id, name: t(id) }))} />
      </SelectField>
      {hasMail && <Checkbox label={t('byMail')} checked={draft.byMail} onChange={({ target }) => set({ byMail: target.checked })} />}
      <FailureNotice failure={failure} />
      <SaveActions action={t('invite')} busy={busy} busyWord={t('app:state.wait')} />
    </Form>
  )
}

/** The new invitations; their codes are shown only once. */
function NewInvitations({ invited: { invitations, members, names } }: { invited: Invited }) {
  const { t } = useTranslation(['people', 'app'])
  const copy = async ({ url, email }: NewInvitation) => tell(t((await copyText(url)) ? 'linkCopied' : 'linkNotCopied', { email }))
  const hasCodes = invitations.some(({ code }) => code !== null)
  return (
    <>
      {members.length > 0 && <Notice>{t('alreadyMembers', { emails: enumerated(members), count: members.length })}</Notice>}
      {invitations.some(({ url }) => namesLoopback(url)) && <Notice tone="warn">{t('linksHere')}</Notice>}
      {invitations.length > 0 && (
        <Table
          label={t('invitations')}
          rows={invitations}
          keyOf={({ id }) => id}
          columns={[
            { head: t('email'), cell: ({ email }) => email },
            ...(invitations.some(({ email }) => names.has(email))
              ? [{ head: t('name'), cell: ({ email }: NewInvitation) => names.get(email) ?? '' }]
              : []),
            ...(hasCodes
              ? [{ head: t('signInCode'), cell: ({ code }: NewInvitation) => <code className={styles['printed']}>{code}</code> }]
              : []),
            { head: t('byMailHead'), cell: ({ mailed }) => t(mailed ? 'mailed' : 'notMailed') },
            {
              head: t('link'),
              look: 'hidden',
              cell: (invitation) => (
                <Button size="small" aria-label={t('copyLinkOf', { email: invitation.email })} onClick={() => void copy(invitation)}>
                  {t('copyLink')}
                </Button>
              ),
            },
          ]}
        />
      )}
      <Actions>
        {hasCodes && <Button onClick={() => window.print()}>{t('printList')}</Button>}
        <CloseButton look="primary">{t('done')}</CloseButton>
      </Actions>
      {hasCodes && <Slips of={invitations} names={names} />}
    </>
  )
}

/** A slip for each person, to cut apart: the address to open, and the code. */
function Slips({ of: invitations, names }: { of: readonly NewInvitation[]; names: Invited['names'] }) {
  const { t } = useTranslation(['people', 'app'])
  const school = useQuery(ask('schools', 'mine')).data?.name ?? ''
  return (
    <PrintSheet>
      {invitations.map(({ id, email, code, url, role, expires_at }) => (
        <section key={id} className={styles['slip']}>
          <h2>{t('slipTitle', { school, name: t('app:name') })}</h2>
          {names.has(email) && (
            <p>
              <strong>{names.get(email)}</strong>
            </p>
          )}
          <p>{t(`slip.${role}`, { school })}</p>
          <ol>
            <li>{t('slipPage', { page: new URL(url).origin + new URL(url).pathname })}</li>
            <li>{t('slipAddress', { email })}</li>
            <li>
              {t('slipCode')} <code className={styles['printed']}>{code}</code>
            </li>
          </ol>
          <p>{t('slipUntil', { at: day(localDay(expires_at)) })}</p>
        </section>
      ))}
    </PrintSheet>
  )
}
