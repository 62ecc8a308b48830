import type { Assessment } from '@markbook/shared/contract/assessments'
import type { Explanation } from '@markbook/shared/contract/calculations'
import type { SubjectRef } from '@markbook/shared/contract/subjects'
import type { Term } from '@markbook/shared/contract/terms'
import { explain, namedMark } from '@markbook/shared/domain/explain'
import { type ResultRules, whatIf } from '@markbook/shared/domain/what-if'
import { useQuery } from '@tanstack/react-query'
import { useContext } from 'react'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { Closing } from '../../components/closing.ts'
import { SidePanel } from '../../components/side-panel.tsx'
import { nameOf } from '../../words/names.ts'
import { Working } from '../results/working.tsx'
import { cellId, type Grid, useSheetValue } from './grid-context.ts'
import type { Pupil } from './model/closed-cells.ts'
import type { CellPosition } from './model/navigation.ts'
import type { Sheet } from './model/sheet.ts'

type Of = { term: Term; subject: SubjectRef; rules: ResultRules }
type Props = Of & { grid: Grid; position: CellPosition; isHistory: boolean }

/** Explains the figures of a pupil beside the grid, from the marks in the grid, saved or not. */
export function FigurePanel({ grid: { id, sheet }, position, isHistory, ...of }: Props) {
  const { t } = useTranslation('results')
  const close = useContext(Closing)
  const pupil = sheet.pupils[position.row]
  if (!pupil || !close) return null
  const column = sheet.columns[position.col]
  const about = `${pupil.id} ${isHistory ? (column?.id ?? '') : ''}`
  return (
    <SidePanel
      title={t('explain.title', { name: nameOf(pupil), subject: of.subject.name })}
      about={about}
      find={() => document.getElementById(cellId(id, position.row, position.col))?.closest<HTMLElement>('[role="grid"]') ?? null}
      onClose={close}
    >
      <PupilWorking key={about} sheet={sheet} pupil={pupil} opened={isHistory ? column?.id : undefined} {...of} />
    </SidePanel>
  )
}

function PupilWorking({ sheet, pupil, opened, ...of }: Of & { sheet: Sheet; pupil: Pupil; opened: string | undefined }) {
  const { term, subject } = of
  useSheetValue(sheet, pupil.id, () => sheet.figuresOf(pupil.id))
  // For the other subjects, which are not in the grid.
  const others = useQuery(ask('calculations', 'explain', { query: { studentId: pupil.id, termId: term.id, subjectId: subject.id } }))
  return (
    <Working
      present={explanationOf(sheet, pupil, of, others.data)}
      yearId={term.academic_year_id}
      hasOverall={others.data !== undefined}
      opened={opened}
    />
  )
}

function explanationOf(sheet: Sheet, pupil: Pupil, { term, subject, rules }: Of, others: Explanation | undefined): Explanation {
  const composites = others?.steps.flatMap((step) => (step.step === 'overall_average' ? step.composites : [])) ?? []
  const columns = sheet.columns.filter(({ id }) => sheet.isFor(id, pupil.id))
  const marks = columns.map((column: Assessment) => {
    const mark = sheet.effectiveMark(column.id, pupil.id)
    const { saved } = sheet.cell(column.id, pupil.id)
    const row = saved && { id: saved.id }
    return namedMark(
      column,
      mark ? { ...mark, ...row, assessment_id: column.id, exclusion_reason: saved?.exclusion_reason ?? null } : undefined,
    )
  })
  // The second computation puts the result of this subject, as in the grid, among those of the others.
  return whatIf(explain({ ...rules, student_id: pupil.id, term, subject, marks, subjects: composites }), rules, new Map())
}
