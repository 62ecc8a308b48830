import { lazy } from 'react'

/** The value of the search parameter `explain` for the overall average. */
export const OVERALL = 'overall'

const load = () => import('./explain-panel.tsx')
/** Loaded when a figure is first pressed. */
export const ExplainPanel = lazy(() => load().then(({ ExplainPanel: panel }) => ({ default: panel })))
export const OverallPanel = lazy(() => load().then(({ OverallPanel: panel }) => ({ default: panel })))
export const YearPanel = lazy(() => load().then(({ YearPanel: panel }) => ({ default: panel })))

/** The key that connects a figure and its panel. */
export const figureOf = (studentId: string, subjectId: string) => `${studentId} ${subjectId}`
/** The properties of a `SidePanel` about a figure, which the address opens. */
export const panelOf = (studentId: string, subjectId: string, onClose: () => void) => {
  const about = figureOf(studentId, subjectId)
  return { about, onClose, isInAddress: true, find: () => document.querySelector<HTMLElement>(`[data-figure="${about}"]`) }
}
