import { useState, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Notice } from '../../components/page.tsx'
import { sentenceOf } from '../../words/failure.ts'
import { editable } from '../../words/format.ts'
import styles from './marks.module.css'
import type { Mistyped } from './model/mark-values.ts'
import type { Place } from './model/moves.ts'
import type { Pending } from './model/pending.ts'
import type { Sheet } from './model/sheet.ts'
import { useWorkplace } from './use-sheet.ts'

type Props = { sheet: Sheet; onShow: (place: Place) => void }

/** What has not arrived, of this page and of others of this window: what it waits for, and what the person has to decide. */
export function Unsaved({ sheet, onShow }: Props) {
  const { t } = useTranslation('marks')
  const { queue, isKeeping } = useWorkplace()
  const text = useSyncExternalStore(
    (ear) => inAWhile(sheet, ear),
    () => fingerprint(sheet),
  )
  const isHeard = useSyncExternalStore(
    (ear) => sheet.listen('state', ear),
    () => sheet.isLoaded,
  )
  const all = text === '' ? [] : queue.all()
  const of = (...states: Pending['state'][]) => all.filter(({ state }) => states.includes(state))
  const [waiting, offered, refused, contested] = [of('waiting'), of('offered'), of('refused'), of('conflict')]
  const mistakes = sheet.mistyped()
  return (
    <>
      {waiting.length > 0 && <Away count={waiting.length} onRetry={() => queue.retry()} />}
      {!isHeard && waiting.length === 0 && <Notice tone="warn">{t('unsaved.unheard')}</Notice>}
      {!isKeeping() && <Notice tone="bad">{t('unsaved.notKept')}</Notice>}
      {mistakes.length > 0 && <Mistakes mistakes={mistakes} sheet={sheet} onShow={onShow} />}
      {offered.length > 0 && <Offered pending={offered} />}
      {refused.length > 0 && <Refused pending={refused} sheet={sheet} onShow={onShow} />}
      {contested.length > 0 && <Contested pending={contested} sheet={sheet} onShow={onShow} />}
    </>
  )
}

/** How long a change of what is not saved takes to be said, ms: a mark that is saved at once needs no word, and the key is painted first. */
const SAID_AFTER = 150

export function inAWhile(sheet: Sheet, ear: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = sheet.listen('queue', () => {
    timer ??= setTimeout(() => {
      timer = undefined
      ear()
    }, SAID_AFTER)
  })
  return () => {
    stop()
    clearTimeout(timer)
  }
}

const fingerprint = (sheet: Sheet) =>
  [
    ...sheet.queue.all().map(({ assessmentId, studentId, state, score }) => `${assessmentId} ${studentId} ${state} ${score}`),
    ...sheet.mistyped().map(({ assessmentId, studentId, mistake }) => `${assessmentId} ${studentId} ${mistake.text} ${mistake.reason}`),
  ].join()

function Away({ count, onRetry }: { count: number; onRetry: () => void }) {
  const { t } = useTranslation('marks')
  const { queue } = useWorkplace()
  const failure = queue.failure()
  const word = failure?.status === 401 ? 'signIn' : !failure || failure.status === 0 ? 'away' : 'busy'
  return (
    <Notice tone="warn">
      <span>{t(`unsaved.${word}`, { count, reason: sentenceOf(failure) })}</span>
      <Button size="small" onClick={onRetry}>
        {t('unsaved.retry')}
      </Button>
    </Notice>
  )
}

/** What an earlier window left behind. */
function Offered({ pending }: { pending: readonly Pending[] }) {
  const { t } = useTranslation('marks')
  const { queue } = useWorkplace()
  const [isDropping, setDropping] = useState(false)
  return (
    <Notice tone="warn">
      <span>{t('unsaved.offered', { count: pending.length })}</span>
      <Button size="small" look="primary" onClick={() => queue.decide(pending, 'compare')}>
        {t('unsaved.save')}
      </Button>
      <Button size="small" onClick={() => setDropping(true)}>
        {t('unsaved.drop')}
      </Button>
      {isDropping && (
        <ConfirmDialog
          title={t('unsaved.dropTitle')}
          text={t('unsaved.dropText')}
          action={t('unsaved.drop')}
          onConfirm={async () => queue.decide(pending, 'theirs')}
          onClose={() => setDropping(false)}
        />
      )}
    </Notice>
  )
}

type List = Props & { pending: readonly Pending[] }

/** Whose a mark is, of what, and where it stands; a name only where it is of this sheet. */
export const whatOf = ({ pupils, columns }: Sheet, { assessmentId, studentId }: { assessmentId: string; studentId: string }) => {
  const row = pupils.findIndex(({ id }) => id === studentId)
  const col = columns.findIndex(({ id }) => id === assessmentId)
  const pupil = pupils[row]
  return {
    place: { row, col },
    max: columns[col]?.max_score ?? 0,
    name: pupil ? `${pupil.last_name} ${pupil.first_name}, ${columns[col]?.title ?? ''}` : '',
  }
}

/** What was typed and is no mark: whose, and why. */
function Mistakes({ mistakes, sheet, onShow }: Props & { mistakes: readonly Mistyped[] }) {
  const { t } = useTranslation('marks')
  return (
    <Notice tone="bad">
      <span>{t('unsaved.mistakes', { count: mistakes.length })}</span>
      <ul className={styles['decisions']}>
        {mistakes.map((each) => {
          const { place, name, max } = whatOf(sheet, each)
          return (
            <li key={`${each.assessmentId} ${each.studentId}`}>
              <span>
                {name}: {each.mistake.text}. {t(`wrong.${each.mistake.reason}`, { max: editable(max) })}
              </span>
              <Button size="small" onClick={() => onShow(place)}>
                {t('unsaved.show')}
              </Button>
            </li>
          )
        })}
      </ul>
    </Notice>
  )
}

function Refused({ pending, sheet, onShow }: List) {
  const { t } = useTranslation('marks')
  const { queue } = useWorkplace()
  return (
    <Notice tone="bad">
      <span>{t('unsaved.refused', { count: pending.length })}</span>
      <ul className={styles['decisions']}>
        {pending.map((each) => {
          const { place, name } = whatOf(sheet, each)
          return (
            <li key={`${each.assessmentId} ${each.studentId}`}>
              <span>
                {name}: {editable(each.score)}. {each.message}
              </span>
              {name && (
                <Button size="small" onClick={() => onShow(place)}>
                  {t('unsaved.show')}
                </Button>
              )}
              <Button size="small" onClick={() => queue.decide([each], 'compare')}>
                {t('unsaved.retry')}
              </Button>
              <Button size="small" onClick={() => queue.decide([each], 'theirs')}>
                {t('unsaved.drop')}
              </Button>
            </li>
          )
        })}
      </ul>
    </Notice>
  )
}

/** Both values side by side; nobody's mark goes unseen. */
function Contested({ pending, sheet, onShow }: List) {
  const { t } = useTranslation('marks')
  const { queue } = useWorkplace()
  return (
    <Notice tone="warn">
      <span>{t('unsaved.conflicts')}</span>
      <ul className={styles['decisions']}>
        {pending.map((each) => {
          const { place, name } = whatOf(sheet, each)
          const theirs = each.theirs == null ? t('unsaved.noMark') : editable(each.theirs)
          return (
            <li key={`${each.assessmentId} ${each.studentId}`}>
              <span>{name}</span>
              <Button size="small" onClick={() => queue.decide([each], 'theirs')}>
                {t('unsaved.keepTheirs', { mark: theirs })}
              </Button>
              <Button size="small" onClick={() => queue.decide([each], 'mine')}>
                {t('unsaved.keepMine', { mark: editable(each.score) })}
              </Button>
              {name && (
                <Button size="small" look="quiet" onClick={() => onShow(place)}>
                  {t('unsaved.show')}
                </Button>
              )}
            </li>
          )
        })}
      </ul>
    </Notice>
  )
}
