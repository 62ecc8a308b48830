import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask, type ReplyOf, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { ButtonLink } from '../../components/button-link.tsx'
import layout from '../../components/layout.module.css'
import { Card } from '../../components/page.tsx'
import { tellFailure } from '../../components/toasts.tsx'
import { moment } from '../../words/format.ts'
import { useWhereabouts } from './whereabouts.ts'

/** The notices about this person's account that they have not confirmed yet; renders nothing without any. */
export function AccountNotices() {
  const { t } = useTranslation('account')
  const notices = useQuery(ask('sessions', 'notices'))
  if (!notices.data?.length) return null
  return (
    <Card title={t('notices.title')}>
      <ul className={layout['ruled']}>
        {notices.data.map((notice) => (
          <OneNotice key={notice.id} notice={notice} />
        ))}
      </ul>
      <p className={layout['note']}>{t('notices.otherwise')}</p>
    </Card>
  )
}

function OneNotice({ notice }: { notice: ReplyOf<'sessions', 'notices'>[number] }) {
  const { t } = useTranslation('account')
  const { deviceOf, placeOf } = useWhereabouts()
  const dismiss = useSave('sessions', 'dismiss')
  const { id, kind, at } = notice
  return (
    <li className={layout['split']}>
      <span className={layout['stack']}>
        <strong>{t(`notices.${kind}`)}</strong>
        <span>{[deviceOf(notice), placeOf(notice), moment(at)].join(' · ')}</span>
      </span>
      <span className={layout['wrap']}>
        <Button
          size="small"
          look="primary"
          busy={dismiss.isPending}
          onClick={() => dismiss.mutate({ params: { id } }, { onError: tellFailure })}
        >
          {t('notices.mine')}
        </Button>
        <ButtonLink to="/account" size="small">
          {t('notices.notMine')}
        </ButtonLink>
      </span>
    </li>
  )
}
