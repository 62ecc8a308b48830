import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { isStaff, useProfile } from '../api/session.ts'
import styles from './frame.module.css'
import { useSyncStatus } from './sync-status.ts'
import { useSpoken } from './use-spoken.ts'

/** One line, always in sight: where the marks are (sync.md, promise 6). A press leads to what waits. */
export function SyncLine() {
  const profile = useProfile()
  return isStaff(profile) ? <Line /> : null
}

function Line() {
  const { t } = useTranslation('sync')
  const { status, isReached } = useSyncStatus()
  const spoken = useSpoken(status)
  if (!spoken && isReached) return null
  const { text, tone } = isReached && spoken ? spoken : { text: t('line.unreached'), tone: 'bad' }
  return (
    <Link to="/sync" className={styles['sync']} data-tone={tone} title={text}>
      <span role="status">{text}</span>
    </Link>
  )
}
