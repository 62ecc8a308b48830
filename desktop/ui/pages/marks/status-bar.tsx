import { useMemo, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { signs } from './cell-signs.ts'
import type { Grid } from './grid-parts.ts'
import styles from './marks.module.css'
import { countMarks } from './model/counted.ts'
import type { Sheet } from './model/sheet.ts'
import { type MarkPlace, placeOf } from './place-of.ts'
import { inAWhile } from './unsaved.tsx'
import { useAbove } from './use-sheet.ts'

/** Under the grid: where its marks are, and what has just been done. It always has its line, so that nothing moves when it speaks. */
export function StatusBar({ grid: { sheet, saying } }: { grid: Grid }) {
  const said = useSyncExternalStore(saying.listen, () => saying.text)
  return (
    <div className={styles['bar']}>
      <Where sheet={sheet} />
      <p className={styles['said']} role="status">
        {said}
      </p>
    </div>
  )
}

/** From the person to the ministry. */
const order = ['here', 'hereForCentre', 'schoolWaits', 'school', 'centre'] as const satisfies MarkPlace[]
const waits: readonly MarkPlace[] = ['here', 'hereForCentre', 'schoolWaits']

function Where({ sheet }: { sheet: Sheet }) {
  const { t } = useTranslation('marks')
  const above = useAbove()
  const [listen, now] = useMemo(() => {
    const listen = (ear: () => void) => inAWhile(sheet, ear)
    const now = () => {
      const { unsaved, places } = countMarks(sheet, (mark) => placeOf(mark, above))
      return JSON.stringify({ unsaved, mistakes: sheet.mistakesThere(), going: goingOf(sheet), places: Object.fromEntries(places) })
    }
    return [listen, now]
  }, [sheet, above])
  const { unsaved, mistakes, going, places } = JSON.parse(useSyncExternalStore(listen, now)) as Counts
  const isSaved = unsaved + mistakes === 0
  const found = order.filter((place) => places[place])
  const [only] = isSaved && found.length === 1 ? found : []
  return (
    <>
      <p className={styles['saving']} role="status" data-saved={isSaved}>
        {going > 0 ? t('unsaved.saving', { count: going }) : isSaved && !above?.parent && t('unsaved.all')}
      </p>
      {above?.parent && (
        <ul className={styles['where']} aria-label={t('where.label')}>
          {unsaved > going && <Part sign={signs.unsaved}>{t('where.unsaved', { count: unsaved - going })}</Part>}
          {found.map((place) => (
            <Part key={place} sign={waits.includes(place) ? signs.waiting : '✓'} isThere={!waits.includes(place)}>
              {t(place === only && !waits.includes(place) ? `where.all.${place as 'school' | 'centre'}` : `where.${place}`, {
                count: places[place] ?? 0,
              })}
            </Part>
          ))}
        </ul>
      )}
    </>
  )
}

type Counts = { unsaved: number; mistakes: number; going: number; places: Partial<Record<MarkPlace, number>> }

/** On its way to this server, in this moment. */
const goingOf = ({ queue }: Sheet) => queue.all().filter(({ state }) => state === 'fresh' || state === 'sending').length

function Part({ sign, isThere = false, children }: { sign: string; isThere?: boolean; children: string }) {
  return (
    <li data-there={isThere}>
      <span aria-hidden="true">{sign}</span> {children}
    </li>
  )
}
