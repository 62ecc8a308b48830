import { useTranslation } from 'react-i18next'
import { Button } from '../../components/button.tsx'
import { Badge } from '../../components/page.tsx'
import { sentenceOf } from '../../words/failure.ts'
import type { SaveState } from './autosave.ts'
import styles from './reports.module.css'

type Props = { state: SaveState; failure: unknown; isLocked: boolean; wrong: string; onRetry: () => void }

/** Whether a row is saved, and if not, why. */
export function SaveStatus({ state, failure, isLocked, wrong, onRetry }: Props) {
  const { t } = useTranslation(['reports', 'app'])
  if (isLocked)
    return (
      <div className={styles['lock']}>
        <Badge>{t('status.sent_to_ministry')}</Badge>
        {state === 'failed' && (
          <span className={styles['failed']} role="alert">
            {sentenceOf(failure)} {t('fill.notTaken')}
          </span>
        )}
      </div>
    )
  if (state === 'failed')
    return (
      <div className={styles['failed']} role="alert">
        <span>{sentenceOf(failure)}</span>
        <Button size="small" onClick={onRetry}>
          {t('app:action.retry')}
        </Button>
      </div>
    )
  return (
    <span role="status" className={styles['mark']} data-state={state}>
      {state === 'wrong' ? wrong : state === 'saved' ? `✓ ${t('app:state.saved')}` : state === 'same' ? '' : t('app:state.saving')}
    </span>
  )
}
