import type { Assessment } from '@markbook/shared/contract/assessments'
import type { GradingScale } from '@markbook/shared/contract/grading-scale'
import type { Term } from '@markbook/shared/contract/terms'
import { useEffect, useLayoutEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/button.tsx'
import { ButtonLink } from '../../components/button-link.tsx'
import { Empty, Notice, Page } from '../../components/page.tsx'
import { CellLine } from './cell-line.tsx'
import { LeavingWarning } from './leaving.tsx'
import { Legend } from './legend.tsx'
import { MarkGrid } from './mark-grid.tsx'
import styles from './marks.module.css'
import type { Pupil, Sheet } from './model/sheet.ts'
import { PrintMarks } from './print-marks.tsx'
import { SheetDialogs, type Shown } from './sheet-dialogs.tsx'
import { StatusBar } from './status-bar.tsx'
import { Unsaved } from './unsaved.tsx'
import { useGridOf } from './use-grid.ts'
import { useLeftBehind, useReviewed } from './use-sheet.ts'

export type Ground = {
  sheet: Sheet
  classId: string
  className: string
  subjectId: string
  subjectName: string
  term: Term
  yearName: string
  pupils: readonly Pupil[]
  columns: readonly Assessment[]
  scale: GradingScale
  isReadOnly: boolean
}

/** The marks of a class in a subject and term, with everything that is done there. */
export function SheetView({ ground, choice }: { ground: Ground; choice: React.ReactNode }) {
  const { t } = useTranslation(['marks', 'app'])
  const { sheet, classId, className, subjectId, subjectName, term, yearName, pupils, columns, scale, isReadOnly } = ground
  useLayoutEffect(
    () => sheet.lay(pupils, columns, term, { passMark: scale.pass_mark, bands: scale.bands }),
    [sheet, pupils, columns, term, scale],
  )
  useReviewed(sheet)
  useLeftBehind(columns.map(({ id }) => id))
  const [shown, setShown] = useState<Shown | null>(null)
  const parts = useGridOf(sheet, isReadOnly, setShown)
  const { grid, sizes, root, act, show } = parts
  const isPrinting = usePrinting()
  const title = t('sheet', { subject: subjectName, class: className })
  const lead = t('of', { term: t(`app:term.${term.name}`), year: yearName })
  const actions = (
    <>
      {choice}
      {!isReadOnly && (
        <Button look={columns.length === 0 ? 'primary' : 'plain'} onClick={() => setShown({ is: 'assessment', column: null })}>
          {t('add')}
        </Button>
      )}
      {!isReadOnly && columns.length > 0 && <Button onClick={() => setShown({ is: 'import' })}>{t('import')}</Button>}
      <Button onClick={() => window.print()}>{t('app:action.print')}</Button>
    </>
  )
  return (
    <Page wide title={title} lead={lead} actions={actions}>
      <div className={styles['sheet']}>
        {isReadOnly && <Notice>{t('reading')}</Notice>}
        {pupils.length === 0 ? (
          <Empty>
            <p>{t('noPupils')}</p>
            <ButtonLink to="/classes/$classId" params={{ classId }}>
              {t('toClass')}
            </ButtonLink>
          </Empty>
        ) : columns.length === 0 ? (
          <Empty>{t('noAssessments')}</Empty>
        ) : (
          <>
            <div className={styles['work']}>
              <CellLine grid={grid} isReadOnly={isReadOnly} onAction={act} />
              <MarkGrid
                grid={grid}
                sizes={sizes}
                root={root}
                label={t('grid', { subject: subjectName, class: className })}
                onMenu={(place) => setShown({ is: 'menu', place })}
                onColumn={(col) => setShown({ is: 'column', place: { row: -1, col } })}
              />
              <StatusBar grid={grid} />
              <Unsaved sheet={sheet} onShow={show} />
            </div>
            <Legend />
          </>
        )}
      </div>
      <SheetDialogs parts={parts} shown={shown} onShow={setShown} place={{ classId, subjectId, termId: term.id }} isReadOnly={isReadOnly} />
      <LeavingWarning sheet={sheet} onShow={show} />
      {isPrinting && <PrintMarks sheet={sheet} title={title} lead={lead} />}
    </Page>
  )
}

/** True while the browser prints: the paper has all the rows, the page only those in sight. */
function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false)
  useEffect(() => {
    const begin = () => setPrinting(true)
    const end = () => setPrinting(false)
    addEventListener('beforeprint', begin)
    addEventListener('afterprint', end)
    return () => {
      removeEventListener('beforeprint', begin)
      removeEventListener('afterprint', end)
    }
  }, [])
  return isPrinting
}
