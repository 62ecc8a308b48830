import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { askWhole } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { ButtonLink } from '../../components/button-link.tsx'
import layout from '../../components/layout.module.css'
import { Notice } from '../../components/page.tsx'
import { day as dayText } from '../../words/format.ts'
import { listedName } from '../../words/names.ts'
import type { PendingMark } from '../marks/model/pending-mark.ts'
import { useElsewhere } from '../marks/use-kept-queue.ts'
import { registerOf } from './model/register.ts'
import { codeOf, isNote, noteOf, studentOf, TAKEN } from './model/register-entries.ts'
import { useAttendanceSession } from './use-register.ts'

const needsDecision = ({ state }: PendingMark) => state === 'conflict' || state === 'refused'

/** The unsaved attendance of this person, on every page except its own. It is sent from here too. */
export function UnsavedAttendance() {
  const { t } = useTranslation('attendance')
  const { queue } = useAttendanceSession()
  const all = queue.all()
  const waiting = all.filter(({ state }) => state === 'waiting').length
  const open = all.filter(needsDecision)
  const [first] = open
  const place = first && registerOf(first.assessmentId)
  return (
    <>
      <Waiting text={t('elsewhere', { count: waiting })} count={waiting} />
      {place && (
        <Notice tone="bad">
          <span>{t('open', { count: open.length })}</span>
          <ButtonLink
            to="/attendance/$classId"
            params={{ classId: place.classId }}
            search={{ day: place.day, lesson: String(place.lesson) }}
            size="small"
          >
            {t('title')}
          </ButtonLink>
        </Notice>
      )}
    </>
  )
}

/** Says `text` of the entries that wait, or, where this browser could not store them, that closing it loses them. */
function Waiting({ text, count }: { text: string; count: number }) {
  const { t } = useTranslation('attendance')
  const { queue, isStored } = useAttendanceSession()
  const isKept = isStored()
  if (count === 0 && isKept) return null
  return (
    <Notice tone={isKept ? 'warn' : 'bad'}>
      <span>{isKept ? text : t('notKept')}</span>
      <Button size="small" onClick={() => queue.retry()}>
        {t('retry')}
      </Button>
    </Notice>
  )
}

/** Below the register: what is unsaved, and the decisions that it needs. */
export function Saving() {
  const { t } = useTranslation('attendance')
  const session = useAttendanceSession()
  const { queue } = session
  const elsewhere = useElsewhere(session)
  const all = queue.all()
  const waiting = all.filter(({ state }) => state === 'waiting').length
  const sending = all.some(({ state }) => state === 'fresh' || state === 'sending')
  const open = all.filter(needsDecision)
  const isSignedOut = queue.failure()?.status === 401
  return (
    <>
      <Waiting text={t(isSignedOut ? 'signIn' : 'waiting', { count: waiting })} count={waiting} />
      {open.length > 0 && (
        <Notice tone="bad">
          <ul className={layout['stack']}>
            {open.map((entry) => (
              <Decision key={`${entry.assessmentId} ${entry.studentId}`} entry={entry} />
            ))}
          </ul>
        </Notice>
      )}
      {all.length === 0 && elsewhere !== null ? (
        <p className={layout['soft']} role="status">
          {t(elsewhere > 0 ? 'otherWindow' : 'all')}
        </p>
      ) : (
        sending && (
          <p className={layout['soft']} role="status">
            {t('saving')}
          </p>
        )
      )}
    </>
  )
}

function Decision({ entry }: { entry: PendingMark }) {
  const { t } = useTranslation('attendance')
  const { queue } = useAttendanceSession()
  const { classId, day } = registerOf(entry.assessmentId)
  const pupils = useQuery(askWhole('classes', 'students', { params: { id: classId } }))
  const pupil = pupils.data?.find(({ id }) => id === studentOf(entry.studentId))
  const name = entry.studentId === TAKEN ? t('theRegister') : pupil ? listedName(pupil) : '…'
  const word = (value: PendingMark['score'] | undefined) => {
    if (value === TAKEN) return t('theRegister')
    return isNote(entry.studentId) ? (noteOf(value) ?? t('noNote')) : t(`code.${codeOf(value)}`)
  }
  const said = { name, day: dayText(day), mine: word(entry.score), theirs: word(entry.theirs), reason: entry.message ?? '' }
  return (
    <li className={layout['row']}>
      <span>{t(entry.state === 'conflict' ? 'conflict' : 'refused', said)}</span>
      <Button size="small" onClick={() => queue.resolve([entry], 'theirs')}>
        {entry.state === 'conflict' ? t('keepTheirs', { code: said.theirs }) : t('drop')}
      </Button>
      <Button size="small" onClick={() => queue.resolve([entry], entry.state === 'conflict' ? 'mine' : 'compare')}>
        {entry.state === 'conflict' ? t('keepMine', { code: said.mine }) : t('retry')}
      </Button>
    </li>
  )
}
