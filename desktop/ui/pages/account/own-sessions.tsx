import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask, type ReplyOf, save, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmButton } from '../../components/dialog.tsx'
import layout from '../../components/layout.module.css'
import { Answer, Badge, Card } from '../../components/page.tsx'
import { tell, tellFailure } from '../../components/toasts.tsx'
import { moment } from '../../words/format.ts'
import { useWhereabouts } from './whereabouts.ts'

/** The sessions of this person on this server; the person can end all but the current one. */
export function OwnSessions() {
  const { t } = useTranslation('account')
  const sessions = useQuery({ ...ask('sessions', 'list'), staleTime: 0 })
  return (
    <Card title={t('sessions.title')}>
      <p>{t('sessions.lead')}</p>
      <Answer of={sessions}>
        {(list) => (
          <>
            <ul className={layout['ruled']}>
              {list.map((session) => (
                <OneSession key={session.id} session={session} />
              ))}
            </ul>
            {list.length > 1 ? <EndOthers /> : <p className={layout['note']}>{t('sessions.onlyHere')}</p>}
          </>
        )}
      </Answer>
    </Card>
  )
}

function OneSession({ session }: { session: ReplyOf<'sessions', 'list'>[number] }) {
  const { t } = useTranslation('account')
  const { deviceOf, placeOf } = useWhereabouts()
  const end = useSave('sessions', 'end')
  const { id, created_at, last_used_at, is_current } = session
  const [device, place] = [deviceOf(session), placeOf(session)]
  return (
    <li className={layout['split']}>
      <span className={layout['stack']}>
        <span className={layout['row']}>
          <strong>{device}</strong> {is_current && <Badge tone="good">{t('sessions.current')}</Badge>}
        </span>
        <span className={layout['note']}>{place}</span>
        <span className={layout['note']}>{t('sessions.times', { used: moment(last_used_at), since: moment(created_at) })}</span>
      </span>
      {!is_current && (
        <Button
          size="small"
          busy={end.isPending}
          aria-label={t('sessions.endNamed', { device, place })}
          onClick={() => end.mutate({ params: { id } }, { onError: tellFailure, onSuccess: () => tell(t('sessions.ended', { device })) })}
        >
          {t('sessions.end')}
        </Button>
      )}
    </li>
  )
}

function EndOthers() {
  const { t } = useTranslation('account')
  return (
    <div className={layout['wrap']}>
      <ConfirmButton
        look="danger"
        title={t('sessions.othersTitle')}
        text={t('sessions.othersText')}
        action={t('sessions.others')}
        onConfirm={async () => {
          await save('sessions', 'endOthers', undefined)
          tell(t('sessions.othersEnded'))
        }}
      />
    </div>
  )
}
