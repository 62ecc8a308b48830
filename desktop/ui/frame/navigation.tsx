import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { isAdmin, isStaff, useProfile } from '../api/session.ts'
import styles from './frame.module.css'

const teaching = [
  { to: '/', word: 'home' },
  { to: '/marks', word: 'marks' },
  { to: '/assessments', word: 'assessments' },
  { to: '/results', word: 'results' },
  { to: '/reports', word: 'reports' },
  { to: '/classes', word: 'classes' },
  { to: '/students', word: 'students' },
] as const
const running = [
  { to: '/years', word: 'years' },
  { to: '/subjects', word: 'subjects' },
  { to: '/scale', word: 'scale' },
  { to: '/people', word: 'people' },
  { to: '/school', word: 'school' },
] as const
const always = [{ to: '/sync', word: 'sync' }] as const

/** What a person may open; what they may not is not shown. */
export function Navigation({ isOpen }: { isOpen: boolean }) {
  const { t } = useTranslation('app')
  const profile = useProfile()
  return (
    <nav className={styles['side']} data-open={isOpen} aria-label={t('navigation.label')}>
      <Link to="/" className={styles['name']}>
        <img src="/icon.svg" alt="" />
        {t('name')}
      </Link>
      <Group title={t('navigation.teaching')} entries={isStaff(profile) ? teaching : teaching.slice(0, 1)} />
      {isAdmin(profile) && <Group title={t('navigation.running')} entries={[...running, ...always]} />}
      {isStaff(profile) && !isAdmin(profile) && <Group title={t('navigation.sync')} entries={always} />}
    </nav>
  )
}

type Entry = (typeof teaching | typeof running | typeof always)[number]

function Group({ title, entries }: { title: string; entries: readonly Entry[] }) {
  const { t } = useTranslation('app')
  return (
    <div className={styles['group']}>
      <h2>{title}</h2>
      <ul>
        {entries.map(({ to, word }) => (
          <li key={to}>
            <Link to={to} activeOptions={{ exact: to === '/' }} activeProps={{ 'aria-current': 'page' }}>
              {t(`navigation.${word}`)}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}
