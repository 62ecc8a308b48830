import { lazyDialog } from '../../components/lazy-part.tsx'
import type { PanelProps } from './explain-panel.tsx'

/** The value of the search parameter `explain` for the overall average. */
export const OVERALL = 'overall'

const load = () => import('./explain-panel.tsx')
const closing = ({ panel }: { panel: PanelProps }) => panel.onClose
/** Loaded when a figure is first pressed. */
export const ExplainPanel = lazyDialog(async () => (await load()).ExplainPanel, closing)
export const OverallPanel = lazyDialog(async () => (await load()).OverallPanel, closing)
export const YearPanel = lazyDialog(async () => (await load()).YearPanel, closing)

/** The key that connects a figure and its panel. */
export const figureOf = (studentId: string, subjectId: string) => `${studentId} ${subjectId}`
/** The properties of a `SidePanel` about a figure, which the address opens. */
export const panelOf = (studentId: string, subjectId: string, onClose: () => void) => {
  const about = figureOf(studentId, subjectId)
  return { about, onClose, isInAddress: true, find: () => document.querySelector<HTMLElement>(`[data-figure="${about}"]`) }
}
