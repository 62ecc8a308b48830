import type { AssessmentCategory } from '@markbook/shared/contract/assessment-categories'
import type { ListedAssessment } from '@markbook/shared/contract/assessments'
import type { GradingScale } from '@markbook/shared/contract/grading-scale'
import type { SubjectRef } from '@markbook/shared/contract/subjects'
import type { Term } from '@markbook/shared/contract/terms'
import { type MarkCode, standardMarkCodes } from '@markbook/shared/domain/mark-codes'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import Ellipsis from 'lucide-react/icons/ellipsis'
import { Fragment, type ReactNode, useCallback, useEffect, useEffectEvent, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { ask, askWhole } from '../../api/queries.ts'
import { useProfile } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { ButtonLink } from '../../components/button-link.tsx'
import { Icon } from '../../components/icon.tsx'
import layout from '../../components/layout.module.css'
import { Answer, Empty, Loading, Notice, Page } from '../../components/page.tsx'
import { type ChosenTerm, chooseTerm, useChosenTerm } from '../../frame/chosen-term.ts'
import { Menu, MenuItem } from '../../frame/menu.tsx'
import { NotCurrentYear, OtherYear } from '../../frame/other-year.tsx'
import { termLabel } from '../../words/term-label.ts'
import { SentNotice } from '../reports/sent-notice.tsx'
import { cellSigns } from './cell-appearance.ts'
import { CellDetails } from './cell-details.tsx'
import { rememberClass, SheetChoice } from './choose-marks-page.tsx'
import { useSheetValue } from './grid-context.ts'
import { gridKeys } from './grid-keys.ts'
import { MarkGrid } from './mark-grid.tsx'
import styles from './marks.module.css'
import type { Pupil } from './model/closed-cells.ts'
import { locationOf } from './model/mark-location.ts'
import { type CellPosition, keepsCellPositions, positionIn } from './model/navigation.ts'
import type { Layout, Sheet } from './model/sheet.ts'
import { PrintMarks } from './print-marks.tsx'
import { SheetDialogs } from './sheet-dialogs.tsx'
import { LeavingWarning, StatusBar, UnsavedMarks } from './unsaved-marks.tsx'
import { type OpenDialog, useGridHandle } from './use-grid.ts'
import { useEnteredHere, useGradesInReview, useParentStatus, useSheet } from './use-sheet.ts'

/** `/marks/:class/:subject`: the marks of a class in a subject and the chosen term. */
export function SheetPage() {
  const { t } = useTranslation('marks')
  const { classId, subjectId } = useParams({ from: '/school/marks/$classId/$subjectId' })
  const chosen = useTermOfUrl()
  const group = useQuery(ask('classes', 'get', { params: { classId } }))
  const subjects = useQuery(ask('subjects', 'list'))
  const subject = subjects.data?.find(({ id }) => id === subjectId)
  useEffect(() => rememberClass(classId), [classId])
  if (!group.data || !subjects.data) {
    return (
      <Page title={t('title')}>
        <Unanswered queries={[group, subjects]} />
      </Page>
    )
  }
  const isOfYear = chosen.year?.id === group.data.academic_year_id
  if (chosen.term && isOfYear && subject) {
    const of = { term: chosen.term, yearName: chosen.year?.name ?? '', group: group.data, subject }
    return <LoadedSheet key={`${classId} ${subjectId} ${of.term.id}`} {...of} />
  }
  const choice = <SheetChoice classId={classId} subjectId={subjectId} />
  return (
    <Page title={t('title')} actions={choice}>
      {chosen.isLoading ? (
        <Loading />
      ) : isOfYear || !subject ? (
        <Empty>{t(subject ? 'noTerm' : 'noSubject')}</Empty>
      ) : (
        <OtherYear yearId={group.data.academic_year_id} />
      )}
    </Page>
  )
}

/** For the first query without data: that it is loading, or its failure. */
export function Unanswered({ queries }: { queries: readonly UseQueryResult[] }) {
  const first = queries.find(({ data }) => data === undefined)
  return first && <Answer of={first}>{() => null}</Answer>
}

/** Keeps the `term` of the address and the chosen term equal, whichever changes. */
export function useTermOfUrl(): ChosenTerm {
  const { term: requested } = useSearch({ strict: false })
  const chosen = useChosenTerm()
  const navigate = useNavigate()
  const applied = useRef<string | undefined>(undefined)
  const chosenId = chosen.term?.id
  useEffect(() => {
    if (requested && requested !== applied.current) {
      applied.current = requested
      if (requested !== chosenId) chooseTerm(requested)
    } else if (chosenId && chosenId !== requested) {
      applied.current = chosenId
      void navigate({ to: '.', search: { term: chosenId }, replace: true })
    }
  }, [requested, chosenId, navigate])
  return chosen
}

type Named = { id: string; name: string }
type LoadedSheetProps = { term: Term; yearName: string; group: Named; subject: SubjectRef }

function LoadedSheet(props: LoadedSheetProps) {
  const { term, group, subject } = props
  const scope = { termId: term.id, subjectId: subject.id, studentGroupId: group.id }
  const sheet = useSheet({ ...scope, isSet: false })
  const pupils = useQuery(askWhole('classes', 'students', { params: { id: group.id } }))
  const columns = useQuery(ask('assessments', 'list', { query: scope }))
  const scale = useQuery(ask('gradingScale', 'get', { query: { academicYearId: term.academic_year_id } }))
  const categories = useQuery(ask('assessmentCategories', 'list', { query: { academicYearId: term.academic_year_id } }))
  const own = useQuery(ask('classes', 'mySubjects', { params: { classId: group.id } }))
  const school = useQuery(ask('schools', 'mine'))
  const { t } = useTranslation('marks')
  if (!pupils.data || !columns.data || !scale.data || !categories.data || !own.data || school.isPending) {
    return (
      <Page wide title={t('sheet', { subject: subject.name, class: group.name })}>
        <Unanswered queries={[pupils, columns, scale, categories, own]} />
      </Page>
    )
  }
  return (
    <SheetView
      {...props}
      sheet={sheet}
      pupils={pupils.data}
      columns={columns.data}
      scale={scale.data}
      categories={categories.data}
      codes={school.data?.mark_codes ?? standardMarkCodes}
      isReadOnly={!own.data.some(({ id }) => id === subject.id)}
      choice={<SheetChoice classId={group.id} subjectId={subject.id} />}
    />
  )
}

type SheetViewProps = LoadedSheetProps & {
  sheet: Sheet
  pupils: readonly Pupil[]
  columns: readonly ListedAssessment[]
  scale: GradingScale
  categories: readonly AssessmentCategory[]
  codes: readonly MarkCode[]
  isReadOnly: boolean
  /** The control that chooses another sheet. */
  choice: ReactNode
  /** `group` is a teaching set, with pupils of several classes. */
  isSet?: boolean
}

export function SheetView(props: SheetViewProps) {
  const { sheet, group, subject, term, yearName, pupils, columns, scale, categories, codes, isReadOnly, choice, isSet = false } = props
  const { t } = useTranslation(['marks', 'app'])
  const [classId, subjectId] = [group.id, subject.id]
  const names = { subject: subject.name, class: group.name }
  const isReady = useSheetValue(sheet, 'state', () => sheet.isReady)
  useGradesInReview(sheet)
  useEnteredHere(
    { classId, subjectId, termId: term.id, isSet },
    columns.map(({ id }) => id),
  )
  const graded = useMemo(() => ({ passMark: scale.pass_mark, bands: scale.bands }), [scale])
  const layOut = useCallback(
    () => sheet.setLayout(pupils, columns, term, graded, codes, categories),
    [sheet, pupils, columns, term, graded, codes, categories],
  )
  // A sheet that nobody listens to yet: its rows are in the first drawing of the page.
  if (sheet.pupils.length + sheet.columns.length === 0) layOut()
  const [dialog, setDialog] = useState<OpenDialog | null>(null)
  const openMenu = useCallback((position: CellPosition) => setDialog({ is: 'menu', position }), [])
  const { id: userId } = useProfile()
  const handle = useGridHandle(sheet, isReadOnly, `markbook.undo/${userId}/${classId}/${subjectId}/${term.id}`, setDialog)
  const { grid, sizes, root, runAction, goTo } = handle
  const follow = useEffectEvent((before: Layout) => {
    grid.controller.follow(before)
    if (!dialog || !('position' in dialog)) return
    // After such a change a pasted block would belong to other pupils.
    const isLost = dialog.is === 'paste' && !keepsCellPositions(sheet.layout, before)
    const position = isLost ? null : positionIn(sheet.layout, before, dialog.position)
    setDialog(position && { ...dialog, position })
    if (position) return
    grid.controller.tellGone(before, dialog.position)
    setTimeout(() => root.current?.focus({ preventScroll: true }))
  })
  useLayoutEffect(() => {
    const before = sheet.layout
    layOut()
    follow(before)
  }, [sheet, layOut])
  const isPrinting = usePrinting()
  const title = t('sheet', names)
  const lead = t('of', { term: termLabel(term.name), year: yearName })
  const mayImport = !isReadOnly && columns.length > 0
  const add = () => setDialog({ is: 'assessment', column: null })
  const actions = (
    <>
      {choice}
      <div className={columns.length === 0 ? layout['wrap'] : `${layout['wrap']} ${styles['unfolded']}`}>
        {!isReadOnly && (
          <Button look={columns.length === 0 ? 'primary' : 'plain'} onClick={add}>
            {t('add')}
          </Button>
        )}
        {mayImport && <Button onClick={() => setDialog({ is: 'import' })}>{t('import')}</Button>}
        <Button onClick={() => window.print()}>{t('app:action.print')}</Button>
      </div>
      <div className={styles['folded']} hidden={columns.length === 0}>
        <Menu button={{ 'aria-label': t('more'), children: <Icon of={Ellipsis} /> }}>
          {!isReadOnly && <MenuItem onChoose={add}>{t('add')}</MenuItem>}
          {mayImport && <MenuItem onChoose={() => setDialog({ is: 'import' })}>{t('import')}</MenuItem>}
          <MenuItem onChoose={() => window.print()}>{t('app:action.print')}</MenuItem>
        </Menu>
      </div>
    </>
  )
  return (
    <Page wide dense title={title} help={t('help')} lead={lead} actions={actions}>
      <div className={layout['list']}>
        <NotCurrentYear yearId={term.academic_year_id} isWritable={!isReadOnly} to="/marks" />
        {isReadOnly && <Notice>{t('reading')}</Notice>}
        {pupils.length === 0 ? (
          <Empty>
            <p>{t(isSet ? 'noPupilsInSet' : 'noPupils')}</p>
            {isSet ? (
              <ButtonLink to="/sets">{t('toSets')}</ButtonLink>
            ) : (
              <ButtonLink to="/classes/$classId" params={{ classId }}>
                {t('toClass')}
              </ButtonLink>
            )}
          </Empty>
        ) : columns.length === 0 ? (
          <Empty>{t('noAssessments')}</Empty>
        ) : !isReady ? (
          <Loading />
        ) : (
          <>
            <div className={`${layout['list']} ${styles['work']}`}>
              <MarkGrid
                grid={grid}
                sizes={sizes}
                root={root}
                label={t('grid', names)}
                onMenu={openMenu}
                hasPanel={dialog?.is === 'explain' || dialog?.is === 'history'}
              />
              <CellDetails grid={grid} onAction={runAction} onMenu={openMenu} />
              <StatusBar grid={grid}>{!isSet && <SentNotice classId={classId} termId={term.id} />}</StatusBar>
              <UnsavedMarks sheet={sheet} onShow={goTo} />
            </div>
            <Legend />
          </>
        )}
      </div>
      <SheetDialogs
        handle={handle}
        shown={dialog}
        onShow={setDialog}
        scope={{ classId, subjectId, termId: term.id, isSet }}
        group={group}
        of={{ term, subject, rules: { scale: graded, codes, categories } }}
      />
      <LeavingWarning sheet={sheet} onShow={goTo} controller={grid.controller} />
      {isPrinting && <PrintMarks sheet={sheet} title={title} lead={lead} />}
    </Page>
  )
}

/** True while the browser prints: print has all rows, the grid only the visible ones. */
function usePrinting(): boolean {
  const [isPrinting, setIsPrinting] = useState(false)
  useEffect(() => {
    // The browser prints what is rendered when the listeners return, so that React must render at once.
    const begin = () => flushSync(() => setIsPrinting(true))
    const end = () => setIsPrinting(false)
    addEventListener('beforeprint', begin)
    addEventListener('afterprint', end)
    return () => {
      removeEventListener('beforeprint', begin)
      removeEventListener('afterprint', end)
    }
  }, [])
  return isPrinting
}

/** The signs and the keys of the grid, drawn when they are first opened. */
function Legend() {
  const { t } = useTranslation('marks')
  const [wasOpened, setWasOpened] = useState(false)
  return (
    <details className={styles['more']} onToggle={() => setWasOpened(true)}>
      <summary>{t('legend.title')}</summary>
      {wasOpened && <LegendContent />}
    </details>
  )
}

function LegendContent() {
  const { t } = useTranslation('marks')
  const waitingLocation = locationOf({ is_waiting: true, is_above: false }, useParentStatus())
  const signs = [
    ['–', t('legend.none')],
    [cellSigns.unsaved, t('legend.waiting')],
    ...(waitingLocation === 'saved' ? [] : [[cellSigns.waiting, t(`state.${waitingLocation}`)] as const]),
    [cellSigns.excluded, t('legend.excluded')],
    [cellSigns.reviewed, t('legend.reviewed')],
    [cellSigns.conflict, t('legend.conflict')],
    [cellSigns.wrong, t('legend.wrong')],
    ['◥', t('legend.remark')],
    ['†', t('legend.partial')],
  ] as const
  return (
    <div className={styles['legend']}>
      <Definitions label={t('legend.signs')} of={signs} />
      <Definitions label={t('legend.keys')} of={gridKeys.map(([key, word]) => [key, t(`legend.${word}`)])} className={styles['kbd']} />
    </div>
  )
}

type DefinitionsProps = { label: string; of: readonly (readonly [term: string, meaning: string])[]; className?: string | undefined }

const Definitions = ({ label, of, className }: DefinitionsProps) => (
  <section aria-label={label}>
    <dl>
      {of.map(([term, meaning]) => (
        <Fragment key={term}>
          <dt className={className}>{term}</dt>
          <dd>{meaning}</dd>
        </Fragment>
      ))}
    </dl>
  </section>
)
