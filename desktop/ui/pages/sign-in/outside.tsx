import { type ReactNode, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { chooseLanguage, languages } from '../../words/words.ts'
import styles from './outside.module.css'

type OutsideProps = { title: string; lead?: ReactNode; wide?: boolean; actions?: ReactNode; children: ReactNode }

/** The pages before the school: the name of the program, the language, one thing to do. */
export function Outside({ title, lead, wide = false, actions, children }: OutsideProps) {
  const { t, i18n } = useTranslation(['sign-in', 'app'])
  useEffect(() => {
    document.title = `${title} – ${t('app:name')}`
  }, [title, t])
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    // What had the focus went with the step before.
    if (title && document.activeElement === document.body) heading.current?.focus()
  }, [title])
  return (
    <div className={styles['outside']}>
      <header className={styles['top']}>
        <span className={styles['name']}>
          <img src="/icon.svg" alt="" />
          {t('app:name')}
        </span>
        <div className={styles['ways']}>
          <select aria-label={t('app:account.language')} value={i18n.language} onChange={({ target }) => void chooseLanguage(target.value)}>
            {languages.map(({ code, name }) => (
              <option key={code} value={code} lang={code}>
                {name}
              </option>
            ))}
          </select>
          {actions}
        </div>
      </header>
      <main id="page" className={wide ? `${styles['main']} ${styles['wide']}` : styles['main']}>
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

/** A sheet of paper on the page. */
export const Sheet = ({ label, children }: { label?: string; children: ReactNode }) => (
  <section className={styles['sheet']} aria-label={label}>
    {children}
  </section>
)
