import { limits } from '@markbook/shared/limits'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { addPasskey, passkeyObstacle } from '../../api/passkeys.ts'
import { ask, type ReplyOf, save } from '../../api/queries.ts'
import { ConfirmButton, DialogButton, FormDialog } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Answer, Badge, Notice } from '../../components/page.tsx'
import { tell } from '../../components/toasts.tsx'
import { useForm } from '../../components/use-form.ts'
import { moment } from '../../words/format.ts'
import styles from './account.module.css'

type Passkey = ReplyOf<'passkeys', 'list'>[number]

/** The passkeys of this person on this server, or why this address cannot have any. */
export function Passkeys() {
  const { t } = useTranslation('account')
  const own = useQuery(ask('passkeys', 'list'))
  const obstacle = passkeyObstacle()
  return (
    <div className={`${layout['list']} ${styles['way']}`}>
      <div className={layout['split']}>
        <h3>{t('passkeys.title')}</h3>
        {own.data?.length === 0 && <Badge>{t('passkeys.none')}</Badge>}
      </div>
      <p>{t('passkeys.text')}</p>
      <Answer of={own}>
        {(list) => (
          <>
            {list.length > 0 && (
              <ul className={layout['ruled']}>
                {list.map((passkey) => (
                  <OnePasskey key={passkey.id} passkey={passkey} />
                ))}
              </ul>
            )}
            {obstacle === 'none' ? (
              <div className={layout['wrap']}>
                <DialogButton disabled={list.length >= limits.passkeys.perPerson} dialog={<AddDialog />}>
                  {t('passkeys.add')}
                </DialogButton>
              </div>
            ) : (
              <Notice tone="info">{t(`passkeys.${obstacle}`, { address: location.host })}</Notice>
            )}
          </>
        )}
      </Answer>
    </div>
  )
}

function OnePasskey({ passkey: { id, name, host, created_at, last_used_at } }: { passkey: Passkey }) {
  const { t } = useTranslation('account')
  return (
    <li className={layout['split']}>
      <span className={layout['stack']}>
        <strong>{name}</strong>
        <span className={layout['note']}>{t('passkeys.for', { host, when: moment(created_at) })}</span>
        <span className={layout['note']}>{last_used_at ? t('passkeys.used', { when: moment(last_used_at) }) : t('passkeys.unused')}</span>
      </span>
      <ConfirmButton
        size="small"
        look="danger"
        aria-label={t('passkeys.removeNamed', { name })}
        title={t('passkeys.removeTitle', { name })}
        text={t('passkeys.removeText')}
        action={t('passkeys.remove')}
        onConfirm={async () => {
          await save('passkeys', 'remove', { params: { id } })
          tell(t('passkeys.removed'))
        }}
      />
    </li>
  )
}

function AddDialog() {
  const { t } = useTranslation('account')
  const form = useForm({
    initial: { name: '' },
    required: ['name'],
    save: async ({ name }) => {
      await addPasskey(name.trim())
      return t('passkeys.added')
    },
  })
  return (
    <FormDialog title={t('passkeys.add')} lead={t('passkeys.lead', { host: location.hostname })} form={form} action={t('passkeys.go')}>
      <TextField {...form.field('name')} label={t('passkeys.name')} hint={t('passkeys.nameHint')} maxLength={limits.text.name} />
    </FormDialog>
  )
}
