import type { Failure } from '@markbook/shared/failures'
import { useBlocker } from '@tanstack/react-router'
import i18next from 'i18next'
import { type ReactNode, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { useOldestSeen } from '../../api/last-seen.ts'
import { Button } from '../../components/button.tsx'
import { LeaveDialog } from '../../components/dialog.tsx'
import layout from '../../components/layout.module.css'
import { Notice } from '../../components/page.tsx'
import { AwayNotice } from '../../frame/away-notice.tsx'
import { canKeepApp } from '../../frame/service-worker.ts'
import { sentenceOf } from '../../words/failure.ts'
import { editable } from '../../words/format.ts'
import { nameInGrid } from '../../words/names.ts'
import { cellSigns, markText } from './cell-appearance.ts'
import { type Grid, useSettledChanges, useSheetValue } from './grid-context.ts'
import styles from './marks.module.css'
import type { GridController } from './model/grid-controller.ts'
import { locationOf, type MarkLocation, type ParentStatus } from './model/mark-location.ts'
import type { InvalidCell, MarkKey } from './model/mark-values.ts'
import type { MarkingSession } from './model/marking-session.ts'
import type { CellPosition } from './model/navigation.ts'
import type { PendingMark } from './model/pending-mark.ts'
import type { Sheet } from './model/sheet.ts'
import { useElsewhere } from './use-kept-queue.ts'
import { useMarkingSession, useParentStatus } from './use-sheet.ts'

type Props = { sheet: Sheet; onShow: (position: CellPosition) => void }

/** Notices about all unsaved marks of this window, also of other sheets, with the decisions that they need. */
export function UnsavedMarks({ sheet, onShow }: Props) {
  const { t } = useTranslation(['marks', 'app'])
  const session = useMarkingSession()
  const { queue } = session
  useSettledChanges(sheet.listenToQueue, REPORT_DELAY)
  const isConnected = useSheetValue(sheet, 'state', () => sheet.isConnected)
  const isUnread = useSheetValue(sheet, 'state', () => sheet.isUnread)
  const inState = (state: PendingMark['state']) => queue.all().filter((pending) => pending.state === state)
  const waiting = inState('waiting')
  const isOld = useOldestSeen() !== null
  const isAway = isOld && waiting.length > 0 && waitsFor(queue.failure()) === 'away'
  const invalid = sheet.invalidCells()
  const show = (position: CellPosition): Action => ({ word: t('unsaved.show'), run: () => onShow(position) })
  const resolve = (word: string, pending: PendingMark, choice: Parameters<typeof queue.resolve>[1]): Action => ({
    word,
    run: () => queue.resolve([pending], choice),
  })
  return (
    <>
      {!isAway && <WaitingNotice count={waiting.length} />}
      <AwayNotice waiting={isAway ? { ...waitingText(session, waiting.length), retry: () => queue.retry() } : undefined} />
      {!isConnected && waiting.length === 0 && !isOld && <Notice tone="warn">{t(isUnread ? 'unsaved.unread' : 'unsaved.unheard')}</Notice>}
      {!isConnected && !isOld && !canKeepApp() && <Notice>{t('app:away.http')}</Notice>}
      <MarkList tone="bad" title={t('unsaved.mistakes', { count: invalid.length })} sheet={sheet} marks={invalid}>
        {(mark, { name, max, position }) => ({
          text: `${t('app:label', { label: name })} ${invalidText(mark, max)}`,
          actions: [show(position)],
        })}
      </MarkList>
      <MarkList tone="bad" title={t('unsaved.refused', { count: inState('refused').length })} sheet={sheet} marks={inState('refused')}>
        {(mark, { name, position }) => ({
          text: `${t('app:label', { label: name })} ${markText(mark.score)}. ${mark.message ?? ''}`,
          actions: [
            ...(name ? [show(position)] : []),
            resolve(t('unsaved.retry'), mark, 'compare'),
            resolve(t('unsaved.drop'), mark, 'theirs'),
          ],
        })}
      </MarkList>
      <MarkList tone="warn" title={t('unsaved.conflicts')} sheet={sheet} marks={inState('conflict')}>
        {(mark, { name, position }) => ({
          text: name,
          actions: [
            resolve(t('unsaved.keepTheirs', { mark: markText(mark.theirs) }), mark, 'theirs'),
            resolve(t('unsaved.keepMine', { mark: markText(mark.score) }), mark, 'mine'),
            ...(name ? [{ ...show(position), look: 'quiet' as const }] : []),
          ],
        })}
      </MarkList>
    </>
  )
}

type Action = { word: string; run: () => void; look?: 'quiet' }
type MarkListProps<M> = {
  tone: 'warn' | 'bad'
  title: string
  sheet: Sheet
  marks: readonly M[]
  children: (mark: M, described: ReturnType<typeof describeMark>) => { text: string; actions: readonly Action[] }
}

/** A notice with a list of marks, and actions for each. */
function MarkList<M extends MarkKey>({ tone, title, sheet, marks, children }: MarkListProps<M>) {
  if (marks.length === 0) return null
  return (
    <Notice tone={tone}>
      <span>{title}</span>
      <ul className={`${layout['stack']} ${styles['decisions']}`}>
        {marks.map((mark) => {
          const { text, actions } = children(mark, describeMark(sheet, mark))
          return (
            <li key={`${mark.assessmentId} ${mark.studentId}`}>
              <span>{text}</span>
              {actions.map(({ word, run, look }) => (
                <Button key={word} size="small" look={look} onClick={run}>
                  {word}
                </Button>
              ))}
            </li>
          )
        })}
      </ul>
    </Notice>
  )
}

/**
 * The delay before a change of the queue is shown, in ms. A mark that is saved at once is not shown as unsaved, and a typed key is painted
 * first.
 */
export const REPORT_DELAY = 150

/** What the marks wait for: a sign-in, a server that can be reached, or one that is less busy. */
const waitsFor = (failure: Failure | null) => (failure?.status === 401 ? 'signIn' : !failure || failure.status === 0 ? 'away' : 'busy')

/** What is said of marks that wait: where they are and what for; where this browser could not store them, that closing it loses them. */
function waitingText({ queue, isStored }: MarkingSession, count: number): { text: string; tone: 'warn' | 'bad' } {
  if (!isStored()) return { text: i18next.t('unsaved.notKept', { ns: 'marks' }), tone: 'bad' }
  const failure = queue.failure()
  return { text: i18next.t(`unsaved.${waitsFor(failure)}`, { ns: 'marks', count, reason: sentenceOf(failure) }), tone: 'warn' }
}

/** `count`: the number of marks that wait. */
export function WaitingNotice({ count }: { count: number }) {
  const { t } = useTranslation('marks')
  const session = useMarkingSession()
  if (count === 0 && session.isStored()) return null
  const { text, tone } = waitingText(session, count)
  return (
    <Notice tone={tone}>
      <span>{text}</span>
      <Button size="small" onClick={() => session.queue.retry()}>
        {t('unsaved.retry')}
      </Button>
    </Notice>
  )
}

const invalidText = ({ invalid: { text, reason } }: InvalidCell, max: number) =>
  `${text}. ${i18next.t(`wrong.${reason}`, { ns: 'marks', max: editable(max) })}`

/** The pupil, the assessment and the position of a mark. `name` is empty for a mark of another sheet. */
const describeMark = (sheet: Sheet, mark: MarkKey) => {
  const { position, pupil, column } = sheet.locate(mark)
  const name = pupil ? `${nameInGrid(pupil)}, ${column?.title ?? ''}` : ''
  return { position, name, max: column?.max_score ?? 0 }
}

/**
 * Enters the text of the editor when the page is left, and asks where that is no mark. Waiting marks do not keep anybody on the page: they
 * are sent from every page.
 */
export function LeavingWarning({ sheet, onShow, controller }: Props & { controller: GridController }) {
  const { t } = useTranslation('marks')
  const { queue } = useMarkingSession()
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => {
      controller.commitEdit(true)
      return current.pathname !== next.pathname && sheet.invalidCount() > 0
    },
    enableBeforeUnload: () => {
      controller.commitEdit(true)
      return queue.all().length + sheet.invalidCount() > 0
    },
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  const invalid = sheet.invalidCells()
  const stay = () => {
    blocker.reset()
    const [first] = invalid
    const position = first && describeMark(sheet, first).position
    if (position && position.row >= 0 && position.col >= 0) requestAnimationFrame(() => onShow(position))
  }
  return (
    <LeaveDialog
      lead={t('leave.mistakes', { count: invalid.length })}
      unsaved={invalid.map((cell) => {
        const { name, max } = describeMark(sheet, cell)
        return { key: `${cell.assessmentId} ${cell.studentId}`, name, reason: invalidText(cell, max) }
      })}
      go={t('leave.go')}
      onStay={stay}
      onLeave={blocker.proceed}
    />
  )
}

/** The line below the grid: where its marks are stored, and the last message. Its height does not change. */
export function StatusBar({ grid: { sheet, message }, children }: { grid: Grid; children?: ReactNode }) {
  const text = useSyncExternalStore(message.listen, () => message.text)
  return (
    <div className={styles['bar']}>
      <Locations sheet={sheet} />
      <p className={`${layout['soft']} ${styles['message']}`} role="status">
        {text}
      </p>
      {children}
    </div>
  )
}

/** From this computer up to the centre. */
const order = ['here', 'hereForCentre', 'schoolWaits', 'school', 'centre'] as const satisfies MarkLocation[]
const waiting: readonly MarkLocation[] = ['here', 'hereForCentre', 'schoolWaits']

function Locations({ sheet }: { sheet: Sheet }) {
  const { t } = useTranslation('marks')
  const status = useParentStatus()
  const session = useMarkingSession()
  const elsewhere = useElsewhere(session)
  useSettledChanges(sheet.listenToQueue, REPORT_DELAY)
  const { unsaved, invalid, sending, locations } = countMarks(sheet, status)
  const isSaved = unsaved + invalid === 0 && elsewhere === 0
  const found = order.filter((location) => locations[location])
  const [only] = isSaved && found.length === 1 ? found : []
  return (
    <>
      <p className={`${layout['soft']} ${styles['saving']}`} role="status" data-saved={isSaved}>
        {sending > 0
          ? t('unsaved.saving', { count: sending })
          : elsewhere
            ? t('unsaved.otherWindow')
            : isSaved && !status?.parent && t('unsaved.all')}
      </p>
      {status?.parent && (
        <ul className={styles['where']} aria-label={t('where.label')}>
          {unsaved > sending && (
            <Part sign={cellSigns.unsaved}>
              {t(session.isStored() ? 'where.unsaved' : 'where.unsavedHere', { count: unsaved - sending })}
            </Part>
          )}
          {found.map((location) => (
            <Part key={location} sign={waiting.includes(location) ? cellSigns.waiting : '✓'} hasArrived={!waiting.includes(location)}>
              {t(location === only && (location === 'school' || location === 'centre') ? `where.all.${location}` : `where.${location}`, {
                count: locations[location] ?? 0,
              })}
            </Part>
          ))}
        </ul>
      )}
    </>
  )
}

function Part({ sign, hasArrived = false, children }: { sign: string; hasArrived?: boolean; children: string }) {
  return (
    <li data-arrived={hasArrived}>
      <span aria-hidden="true">{sign}</span> {children}
    </li>
  )
}

/**
 * `unsaved`: marks that are only on this page; `sending`: those of them that are being sent to this server; `locations`: the number of
 * saved marks by place.
 */
function countMarks(sheet: Sheet, status: ParentStatus | undefined) {
  const assessmentIds = new Set(sheet.columns.map(({ id }) => id))
  const locations: Partial<Record<MarkLocation, number>> = {}
  for (const mark of sheet.marks()) {
    if (!assessmentIds.has(mark.assessment_id) || sheet.queue.get(mark.assessment_id, mark.student_id)) continue
    const location = locationOf(mark, status)
    locations[location] = (locations[location] ?? 0) + 1
  }
  const pending = sheet.queue.all()
  return {
    unsaved: pending.filter(({ assessmentId }) => assessmentIds.has(assessmentId)).length,
    invalid: sheet.invalidCount(),
    sending: pending.filter(({ state }) => state === 'fresh' || state === 'sending').length,
    locations,
  }
}
