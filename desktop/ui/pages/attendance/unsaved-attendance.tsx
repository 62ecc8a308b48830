import { Failure } from '@markbook/shared/failures'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask, askWhole } from '../../api/queries.ts'
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
  const classIds = [...new Set(open.map(classOf))]
  return (
    <>
      <Waiting text={t('elsewhere', { count: waiting })} count={waiting} />
      {classIds.map((id) => (
        <OpenInClass key={id} classId={id} entries={open.filter((entry) => classOf(entry) === id)} />
      ))}
    </>
  )
}

const classOf = ({ assessmentId }: PendingMark) => registerOf(assessmentId).classId

/** A link to the register where the entries of a class need a decision; where its class is gone, the one decision that is possible. */
function OpenInClass({ classId, entries }: { classId: string; entries: readonly PendingMark[] }) {
  const { t } = useTranslation('attendance')
  const { error } = useQuery(ask('classes', 'get', { params: { classId } }))
  if (error instanceof Failure && (error.status === 404 || error.status === 403)) return <Decisions entries={entries} isGone />
  const { day, lesson } = registerOf(entries[0]?.assessmentId ?? '')
  return (
    <Notice tone="bad">
      <span>{t('open', { count: entries.length })}</span>
      <ButtonLink to="/attendance/$classId" params={{ classId }} search={{ day, lesson: String(lesson) }} size="small">
        {t('title')}
      </ButtonLink>
    </Notice>
  )
}

/** `isGone`: the class of the entries was deleted, or is not the person's any more. */
function Decisions({ entries, isGone = false }: { entries: readonly PendingMark[]; isGone?: boolean }) {
  return (
    <Notice tone="bad">
      <ul className={layout['stack']}>
        {entries.map((entry) => (
          <Decision key={`${entry.assessmentId} ${entry.studentId}`} entry={entry} isGone={isGone} />
        ))}
      </ul>
    </Notice>
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
      {open.length > 0 && <Decisions entries={open} />}
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

function Decision({ entry, isGone }: { entry: PendingMark; isGone: boolean }) {
  const { t } = useTranslation('attendance')
  const { queue } = useAttendanceSession()
  const { classId, day } = registerOf(entry.assessmentId)
  const pupils = useQuery({ ...askWhole('classes', 'students', { params: { id: classId } }), enabled: !isGone })
  const own = useQuery({
    ...ask('students', 'get', { params: { id: studentOf(entry.studentId) } }),
    enabled: isGone && entry.studentId !== TAKEN,
  })
  const pupil = isGone ? own.data : pupils.data?.find(({ id }) => id === studentOf(entry.studentId))
  const name = entry.studentId === TAKEN ? t('theRegister') : pupil ? listedName(pupil) : isGone ? t('aPupil') : '…'
  const word = (value: PendingMark['score'] | undefined) => {
    if (value === TAKEN) return t('theRegister')
    return isNote(entry.studentId) ? (noteOf(value) ?? t('noNote')) : t(`code.${codeOf(value)}`)
  }
  const said = { name, day: dayText(day), mine: word(entry.score), theirs: word(entry.theirs), reason: entry.message ?? '' }
  const drop = () => queue.resolve([entry], 'theirs')
  if (isGone)
    return (
      <li className={layout['row']}>
        <span>{t('gone', said)}</span>
        <Button size="small" onClick={drop}>
          {t('drop')}
        </Button>
      </li>
    )
  return (
    <li className={layout['row']}>
      <span>{t(entry.state === 'conflict' ? 'conflict' : 'refused', said)}</span>
      <Button size="small" onClick={drop}>
        {entry.state === 'conflict' ? t('keepTheirs', { code: said.theirs }) : t('drop')}
      </Button>
      <Button size="small" onClick={() => queue.resolve([entry], entry.state === 'conflict' ? 'mine' : 'compare')}>
        {entry.state === 'conflict' ? t('keepMine', { code: said.mine }) : t('retry')}
      </Button>
    </li>
  )
}
