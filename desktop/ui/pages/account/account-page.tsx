import { limits } from '@markbook/shared/limits'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, save, useSave } from '../../api/queries.ts'
import { me, useProfile } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogButton } from '../../components/dialog.tsx'
import { Form, Options, Row, SaveActions, SelectField, TextField } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Answer, Badge, Card, FailureNotice, Notice, Page } from '../../components/page.tsx'
import { useObjectUrl } from '../../components/save-file.ts'
import { tell, tellFailure } from '../../components/toasts.tsx'
import { useForm } from '../../components/use-form.ts'
import { backTo, saveWithUndo } from '../../components/with-undo.ts'
import { useSwitchSchool } from '../../frame/active-school.ts'
import { signOut } from '../../frame/sign-out.ts'
import { chooseTheme, chosenTheme, type Theme, themes } from '../../frame/theme.ts'
import { moment } from '../../words/format.ts'
import { chooseLanguage, languageOptions } from '../../words/words.ts'
import { JoinSchool } from '../sign-in/join-school.tsx'
import styles from './account.module.css'
import { OwnSessions } from './own-sessions.tsx'
import { SignInWays } from './sign-in-ways.tsx'

/** The settings of the person, which apply in every school. */
export function AccountPage() {
  const { t } = useTranslation(['account', 'app'])
  const { email } = useProfile()
  return (
    <Page
      title={t('title')}
      lead={t('lead', { email })}
      actions={<Button onClick={() => void signOut()}>{t('app:account.signOut')}</Button>}
    >
      <div className={styles['columns']}>
        <div className={styles['column']}>
          <Names />
          <Picture />
          <Settings />
        </div>
        <div className={styles['column']}>
          <OwnSessions />
          <SignInWays />
          <OwnSchools />
        </div>
      </div>
    </Page>
  )
}

/** The appearance and the language in this browser. */
function Settings() {
  const { t, i18n } = useTranslation(['account', 'app'])
  const [theme, setTheme] = useState(chosenTheme())
  return (
    <Card title={t('settings.title')}>
      <Row>
        <SelectField
          label={t('app:account.theme')}
          value={theme}
          onChange={({ target }) => {
            chooseTheme(target.value as Theme)
            setTheme(target.value as Theme)
          }}
        >
          <Options of={themes.map((id) => ({ id, name: t(`app:account.${id}`) }))} />
        </SelectField>
        <SelectField label={t('app:account.language')} value={i18n.language} onChange={({ target }) => void chooseLanguage(target.value)}>
          <Options of={languageOptions} />
        </SelectField>
      </Row>
    </Card>
  )
}

function Names() {
  const { t } = useTranslation(['account', 'app'])
  const profile = useProfile()
  const own = { firstName: profile.first_name ?? '', lastName: profile.last_name ?? '' }
  const { field, send, busy, failure, reset } = useForm({
    initial: own,
    required: ['firstName', 'lastName'],
    save: async ({ firstName, lastName }) => {
      const typed = { firstName: firstName.trim(), lastName: lastName.trim() }
      const write = (body: Partial<typeof typed>) => save('auth', 'updateProfile', { body })
      const back = backTo(own, typed, write)
      await saveWithUndo({
        said: t('names.saved'),
        run: () => write(typed).then(() => reset(typed)),
        back: back && (() => back().then(() => reset(own))),
      })
    },
  })
  return (
    <Card title={t('names.title')}>
      <Form onSend={send}>
        <Row>
          <TextField {...field('firstName')} label={t('names.first')} autoComplete="given-name" maxLength={limits.text.name} />
          <TextField {...field('lastName')} label={t('names.last')} autoComplete="family-name" maxLength={limits.text.name} />
        </Row>
        <FailureNotice failure={failure} />
        <SaveActions busy={busy} />
      </Form>
    </Card>
  )
}

/** How often the profile is read while a join request is pending, in ms. */
const POLL_MS = 10_000

/** The schools of this person and which one is active, and a form to join another. */
function OwnSchools() {
  const { t } = useTranslation(['account', 'app'])
  const { school_id, pending_join_request: pending } = useProfile()
  const schools = useQuery(ask('auth', 'schools'))
  useQuery({ ...me(), refetchInterval: pending ? POLL_MS : false })
  const switchTo = useSwitchSchool()
  const withdraw = useSave('schools', 'withdraw', ['auth'])
  const join = !pending && (
    <DialogButton size="small" dialog={<JoinDialog not={(schools.data ?? []).map(({ school }) => school.id)} />}>
      {t('schools.join')}
    </DialogButton>
  )
  return (
    <Card title={t('schools.title')} actions={join}>
      <Answer of={schools}>
        {(list) => (
          <ul className={layout['list']}>
            {list.map(({ school: { id, name }, role, is_active }) => (
              <li key={id} className={layout['split']}>
                <span>
                  <strong>{name}</strong> · {t(`schools.${role}`)} {!is_active && <Badge tone="warn">{t('schools.suspended')}</Badge>}
                </span>
                {id === school_id && <Badge tone="good">{t('schools.active')}</Badge>}
                {id !== school_id && is_active && (
                  <Button size="small" aria-label={t('schools.switchTo', { name })} onClick={() => switchTo.mutate(id)}>
                    {t('schools.switch')}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Answer>
      {pending && (
        <div className={layout['split']}>
          <span role="status">{t('schools.pending', { school: pending.school.name, when: moment(pending.requested_at) })}</span>
          <Button
            size="small"
            look="danger"
            busy={withdraw.isPending}
            onClick={() => withdraw.mutate({ params: { requestId: pending.id } }, { onError: tellFailure })}
          >
            {t('schools.withdraw')}
          </Button>
        </div>
      )}
    </Card>
  )
}

function JoinDialog({ not }: { not: readonly string[] }) {
  const { t } = useTranslation('account')
  return (
    <Dialog title={t('schools.join')} lead={t('schools.joinLead')}>
      <JoinSchool not={not} savedWord={(school) => t('schools.asked', { school })} />
    </Dialog>
  )
}

const TYPES = 'image/jpeg,image/png,image/webp'
const MEGABYTES = limits.image.bytes / 1_048_576

/** The URL on the server of this page, by the host name that this window uses. */
const localUrl = (address: string) => {
  const { pathname, search } = new URL(address, location.origin)
  return `${pathname}${search}`
}

/** Choose, preview and save the picture, which is shown in a circle. */
function Picture() {
  const { t } = useTranslation(['account', 'app'])
  const profile = useProfile()
  const [file, setFile] = useState<File | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const preview = useObjectUrl(file)
  const upload = useSave('avatars', 'upload', ['auth'])
  const remove = useSave('avatars', 'remove', ['auth'])
  const isTooLarge = file !== null && file.size > limits.image.bytes
  const choose = (chosen: File | null) => {
    setFile(chosen)
    upload.reset()
    remove.reset()
    if (input.current && !chosen) input.current.value = ''
  }
  const save = () => {
    if (!file) return
    const body = new FormData()
    body.append('file', file)
    upload.mutate(
      { body },
      {
        onSuccess: () => {
          choose(null)
          tell(t('picture.saved'))
        },
      },
    )
  }
  const shown = preview ?? (profile.avatar_url && localUrl(profile.avatar_url))
  return (
    <Card title={t('picture.title')}>
      <div className={styles['picture']}>
        {shown ? (
          <img src={shown} alt={t(preview ? 'picture.chosen' : 'picture.own')} />
        ) : (
          <span className={styles['initials']} aria-hidden="true">
            {[profile.first_name, profile.last_name].map((name) => [...(name ?? '')][0] ?? '').join('')}
          </span>
        )}
        <div className={`${layout['stack']} ${styles['stack']}`}>
          <input
            ref={input}
            type="file"
            accept={TYPES}
            hidden
            aria-label={t('picture.label')}
            onChange={({ target }) => choose(target.files?.[0] ?? null)}
          />
          {file ? (
            <div className={layout['wrap']}>
              <Button look="primary" busy={upload.isPending} disabled={isTooLarge} onClick={save}>
                {t('picture.save')}
              </Button>
              <Button onClick={() => choose(null)}>{t('app:action.cancel')}</Button>
            </div>
          ) : (
            <div className={layout['wrap']}>
              <Button onClick={() => input.current?.click()}>{t(profile.avatar_url ? 'picture.another' : 'picture.choose')}</Button>
              {profile.avatar_url && (
                <Button busy={remove.isPending} onClick={() => remove.mutate({}, { onSuccess: () => tell(t('picture.removed')) })}>
                  {t('picture.remove')}
                </Button>
              )}
            </div>
          )}
          <span className={layout['note']}>{t('picture.hint', { megabytes: MEGABYTES })}</span>
        </div>
      </div>
      {isTooLarge && <Notice tone="bad">{t('picture.tooLarge', { megabytes: MEGABYTES })}</Notice>}
      <FailureNotice failure={upload.error ?? remove.error} />
    </Card>
  )
}
