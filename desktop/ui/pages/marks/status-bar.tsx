import { useMemo, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { cellSigns } from './cell-appearance.ts'
import type { Grid } from './grid-context.ts'
import styles from './marks.module.css'
import { locationOf, type MarkLocation, type ParentStatus } from './model/mark-location.ts'
import type { Sheet } from './model/sheet.ts'
import { listenToQueue } from './unsaved-marks.tsx'
import { useParentStatus } from './use-sheet.ts'

/** The line under the grid: where its marks are stored, and the last message. It keeps its height without a message. */
export function StatusBar({ grid: { sheet, message } }: { grid: Grid }) {
  const text = useSyncExternalStore(message.listen, () => message.text)
  return (
    <div className={styles['bar']}>
      <Locations sheet={sheet} />
      <p className={styles['message']} role="status">
        {text}
      </p>
    </div>
  )
}

/** From this computer to the centre. */
const order = ['here', 'hereForCentre', 'schoolWaits', 'school', 'centre'] as const satisfies MarkLocation[]
const waiting: readonly MarkLocation[] = ['here', 'hereForCentre', 'schoolWaits']

function Locations({ sheet }: { sheet: Sheet }) {
  const { t } = useTranslation('marks')
  const status = useParentStatus()
  const [listen, snapshot] = useMemo(() => {
    const listen = (listener: () => void) => listenToQueue(sheet, listener)
    // A string, so that React compares snapshots by value.
    const snapshot = () => JSON.stringify(countMarks(sheet, status))
    return [listen, snapshot]
  }, [sheet, status])
  const { unsaved, invalid, sending, locations } = JSON.parse(useSyncExternalStore(listen, snapshot)) as MarkCounts
  const isSaved = unsaved + invalid === 0
  const found = order.filter((location) => locations[location])
  const [only] = isSaved && found.length === 1 ? found : []
  return (
    <>
      <p className={styles['saving']} role="status" data-saved={isSaved}>
        {sending > 0 ? t('unsaved.saving', { count: sending }) : isSaved && !status?.parent && t('unsaved.all')}
      </p>
      {status?.parent && (
        <ul className={styles['where']} aria-label={t('where.label')}>
          {unsaved > sending && <Part sign={cellSigns.unsaved}>{t('where.unsaved', { count: unsaved - sending })}</Part>}
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

/** `unsaved` marks are only on this page, `sending` of them are on their way to this server; `locations` counts the others. */
type MarkCounts = { unsaved: number; invalid: number; sending: number; locations: Partial<Record<MarkLocation, number>> }

function countMarks(sheet: Sheet, status: ParentStatus | undefined): MarkCounts {
  const assessmentIds = new Set(sheet.columns.map(({ id }) => id))
  const locations: MarkCounts['locations'] = {}
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
