import type { CrestPicture } from '../drawing/crest.ts'
import type { Fonts } from '../drawing/fonts.ts'
import type { PageSize } from '../drawing/pdf.ts'
import type { Words } from '../words.ts'
import type { ReportCard, ReportCardFrame, ReportCardLayout } from './report-card.input.ts'

/** A card and its paper: what the class shares, what is the pupil's own, and its margins (points from the top left). */
export type Card = {
  frame: ReportCardFrame
  layout: ReportCardLayout
  own: ReportCard
  fonts: Fonts
  words: Words
  crest: CrestPicture | null
  sheet: PageSize
  left: number
  width: number
  /** The spacing, chosen so that a card with many subjects stays on one page. */
  density: Density
}

/** `size` of the figures in points, `pad` above and below each row; `tight`: everything around the table is smaller too. */
export type Density = { size: number; pad: number; tight: boolean }

/** From wide to tight; a card uses the first with which it fits one page. The smallest print is 6.6 points. */
export const densities: readonly Density[] = [
  { size: 10, pad: 6.5, tight: false },
  { size: 9.5, pad: 4.6, tight: false },
  { size: 9.2, pad: 3.2, tight: false },
  { size: 9, pad: 2.2, tight: false },
  { size: 9.4, pad: 4.6, tight: true },
  { size: 9.2, pad: 3, tight: true },
  { size: 8.6, pad: 2, tight: true },
  { size: 8.6, pad: 1.2, tight: true },
]
/** For a card that needs more than one page in any case. */
export const longDensity: Density = { size: 9.2, pad: 3.6, tight: false }

/** The margins of every page; the page number and the pupil's name are printed at `foot`, from the lower edge. */
export const edge = { side: 46, top: 34, later: 52, bottom: 50, foot: 28 } as const
