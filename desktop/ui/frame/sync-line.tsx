import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { isStaff, useProfile } from '../api/session.ts'
import styles from './frame.module.css'
import { type Spoken, spokenOf, useSyncStatus } from './sync-status.ts'

/** One line, always in sight: where the marks are (sync.md, promise 6). A press leads to what waits. */
export function SyncLine() {
  const profile = useProfile()
  return isStaff(profile) ? <Line /> : null
}

function Line() {
  const { t } = useTranslation('sync')
  const { status, isReached } = useSyncStatus()
  if (!status && isReached) return null
  const { word, count, tone }: Spoken = isReached && status ? spokenOf(status) : { word: 'unreached', count: 0, tone: 'bad' }
  return (
    <Link to="/sync" className={styles['sync']} data-tone={tone}>
      <span role="status">{t(`line.${word}`, { count })}</span>
    </Link>
  )
}
