import { useBlocker } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Actions } from '../../components/field.tsx'
import type { Sheet } from './model/sheet.ts'
import { useWorkplace } from './use-sheet.ts'

/** Warns before the page is left with something that is only here. What is on its way in this moment goes on by itself. */
export function LeavingWarning({ sheet }: { sheet: Sheet }) {
  const { t } = useTranslation('marks')
  const { queue } = useWorkplace()
  const stuck = () => queue.all().filter(({ state }) => state !== 'fresh' && state !== 'sending').length + sheet.mistakesThere()
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && stuck() > 0,
    enableBeforeUnload: () => queue.all().length + sheet.mistakesThere() > 0,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return (
    <Dialog open title={t('leave.title')} lead={t('leave.text', { count: stuck() })} onClose={blocker.reset}>
      <Actions>
        <Button look="primary" onClick={blocker.reset}>
          {t('leave.stay')}
        </Button>
        <Button onClick={blocker.proceed}>{t('leave.go')}</Button>
      </Actions>
    </Dialog>
  )
}
