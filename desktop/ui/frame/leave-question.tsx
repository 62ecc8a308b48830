import { useBlocker } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { isBackTaken } from '../components/back.ts'
import { ConfirmDialog } from '../components/dialog.tsx'
import { hasUnsavedText } from '../components/use-form.ts'

/** Asks before another page is shown while a form of this one has unsaved text. */
export function LeaveQuestion() {
  const { t } = useTranslation('app')
  const blocker = useBlocker({
    shouldBlockFn: ({ action, current, next }) => !isBackTaken(action) && current.pathname !== next.pathname && hasUnsavedText(),
    enableBeforeUnload: false,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return (
    <ConfirmDialog
      title={t('unsaved.leaveTitle')}
      text={t('unsaved.text')}
      action={t('unsaved.leave')}
      onConfirm={async () => blocker.proceed()}
      onClose={blocker.reset}
    />
  )
}
