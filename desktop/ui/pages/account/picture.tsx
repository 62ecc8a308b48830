import { limits } from '@markbook/shared/limits'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSave } from '../../api/queries.ts'
import { useProfile } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { Card, FailureNotice, Notice } from '../../components/page.tsx'
import { useToasts } from '../../components/toasts.tsx'
import styles from './account.module.css'

const TYPES = 'image/jpeg,image/png,image/webp'
const MEGABYTES = limits.image.bytes / 1_048_576

/** The address of what was chosen, for as long as it is shown. */
function usePreview(file: File | null): string | null {
  const [address, setAddress] = useState<string | null>(null)
  useEffect(() => {
    if (!file) return setAddress(null)
    const made = URL.createObjectURL(file)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  return address
}

/** Always from the server that the page is from, whatever name that is reached by. */
const here = (address: string) => {
  const { pathname, search } = new URL(address, location.origin)
  return `${pathname}${search}`
}

/** Chosen, looked at, saved. It is shown round, and whole where it is square. */
export function Picture() {
  const { t } = useTranslation(['account', 'app'])
  const profile = useProfile()
  const { tell } = useToasts()
  const [file, setFile] = useState<File | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const preview = usePreview(file)
  const upload = useSave('avatars', 'upload', ['auth'])
  const isTooLarge = file !== null && file.size > limits.image.bytes
  const choose = (chosen: File | null) => {
    setFile(chosen)
    upload.reset()
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
  const shown = preview ?? (profile.avatar_url && here(profile.avatar_url))
  return (
    <Card title={t('picture.title')}>
      <div className={styles['picture']}>
        {shown ? <img src={shown} alt={t(preview ? 'picture.chosen' : 'picture.own')} /> : <Initials />}
        <div className={styles['stack']}>
          <label className="hidden" htmlFor="own-picture">
            {t('picture.label')}
          </label>
          <input
            ref={input}
            id="own-picture"
            type="file"
            accept={TYPES}
            className="hidden"
            tabIndex={-1}
            onChange={({ target }) => choose(target.files?.[0] ?? null)}
          />
          {file ? (
            <div className={styles['buttons']}>
              <Button look="primary" busy={upload.isPending} disabled={isTooLarge} onClick={save}>
                {t('picture.save')}
              </Button>
              <Button onClick={() => choose(null)}>{t('app:action.cancel')}</Button>
            </div>
          ) : (
            <Button onClick={() => input.current?.click()}>{t(profile.avatar_url ? 'picture.another' : 'picture.choose')}</Button>
          )}
          <span className={styles['hint']}>{t('picture.hint', { megabytes: MEGABYTES })}</span>
        </div>
      </div>
      {isTooLarge && <Notice tone="bad">{t('picture.tooLarge', { megabytes: MEGABYTES })}</Notice>}
      <FailureNotice failure={upload.error} />
    </Card>
  )
}

function Initials() {
  const { first_name, last_name } = useProfile()
  return (
    <span className={styles['initials']} aria-hidden="true">
      {[first_name, last_name].map((name) => [...(name ?? '')][0] ?? '').join('')}
    </span>
  )
}
