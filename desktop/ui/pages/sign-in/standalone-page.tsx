import { type ReactNode, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/button.tsx'
import { Options } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { signOut } from '../../frame/sign-out.ts'
import { chooseLanguage, languageOptions } from '../../words/words.ts'
import styles from './standalone-page.module.css'

/** `canSignOut`: for people who are signed in and have no menu yet. */
type StandalonePageProps = { title: string; lead?: ReactNode; wide?: boolean; canSignOut?: boolean; children: ReactNode }

/** The layout of the pages before those of a school: the program's name, the language, and one form. */
export function StandalonePage({ title, lead, wide = false, canSignOut = false, children }: StandalonePageProps) {
  const { t, i18n } = useTranslation(['sign-in', 'app'])
  useEffect(() => {
    document.title = `${title} – ${t('app:name')}`
  }, [title, t])
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    // The element that had the focus was removed with the former step.
    if (title && document.activeElement === document.body) heading.current?.focus()
  }, [title])
  return (
    <div className={styles['outside']}>
      <header className={styles['top']}>
        <span className={layout['brand']}>
          <img src="/icon.svg" alt="" width={30} height={30} />
          {t('app:name')}
        </span>
        <div className={layout['toolbar']}>
          <select
            className={layout['control']}
            aria-label={t('app:account.language')}
            value={i18n.language}
            onChange={({ target }) => void chooseLanguage(target.value)}
          >
            <Options of={languageOptions} />
          </select>
          {canSignOut && (
            <Button size="small" onClick={() => void signOut()}>
              {t('app:account.signOut')}
            </Button>
          )}
        </div>
      </header>
      <main id="page" className={`${layout['spaced']} ${styles['main']} ${wide ? styles['wide'] : ''}`}>
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead && <p className={styles['lead']}>{lead}</p>}
        </div>
        {children}
      </main>
    </div>
  )
}
