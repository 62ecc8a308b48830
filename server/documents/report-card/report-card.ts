import type { CrestPicture } from '../drawing/crest.ts'
import { crestPicture } from '../drawing/crest.ts'
import { type Faces, openFaces } from '../drawing/faces.ts'
import { flow, heightOf, type Placed } from '../drawing/flow.ts'
import { cut } from '../drawing/lines.ts'
import { type OpenPaper, openPaper, portrait } from '../drawing/paper.ts'
import { ink, type Pen, penFor, type Style } from '../drawing/pen.ts'
import { type Card, type Density, densities, edge, longDensity } from './card.ts'
import { closingBlocks, saidOf } from './closing.ts'
import { openingBlocks } from './opening.ts'
import type { ReportCard, ReportCardsInput } from './report-card.input.ts'
import { subjectBlocks } from './subjects.ts'
import { dayOf, fullName, periodOf } from './words.ts'

const FOOT: Style = { face: 'regular', size: 7.2, color: ink.quiet }

/** What the cards of a class are drawn with; opened once for all of them. */
export type Studio = { input: ReportCardsInput; faces: Faces; crest: CrestPicture | null }
export const openStudio = async (input: ReportCardsInput): Promise<Studio> => ({
  input,
  faces: await openFaces(),
  crest: crestPicture(input.school.crest),
})

function cardOf({ input, faces, crest }: Studio, own: ReportCard, density: Density): Card {
  const sheet = portrait(input.paper)
  return { frame: input, layout: input.layout, own, faces, crest, sheet, left: edge.side, width: sheet.width - 2 * edge.side, density }
}

/** A card laid out on its pages: as airy as one page allows, else on as many as it takes. */
function laidOut(studio: Studio, own: ReportCard): { card: Card; pages: Placed[][] } {
  let found: { card: Card; pages: Placed[][] } | undefined
  for (const density of [...densities, longDensity]) {
    const card = cardOf(studio, own, density)
    const { head, blocks } = subjectBlocks(card)
    const placed = { head, blocks: [...openingBlocks(card), ...blocks, ...saidOf(card)], closing: closingBlocks(card) }
    const bounds = { first: edge.top, top: edge.later, bottom: card.sheet.height - edge.bottom }
    const height = heightOf(placed.blocks) + (head?.height ?? 0) + heightOf(placed.closing)
    if (density !== longDensity && bounds.first + height > bounds.bottom) continue
    found = { card, pages: flow({ ...placed, ...bounds }) }
    break
  }
  return found as { card: Card; pages: Placed[][] }
}

function drawFoot(pen: Pen, card: Card, page: number, pages: number): void {
  const { left, width, sheet, frame, own } = card
  const base = sheet.height - edge.foot
  const told = (text: string, face: 'regular' | 'semibold', room: number, at: number) =>
    pen.line(cut(text, card.faces[face], FOOT.size, room), { ...FOOT, face }, { x: left, base: at })
  pen.decoration(() => {
    told(`${frame.school.name}  ·  made on ${dayOf(frame.madeAt)}`, 'regular', width - 70, base)
    pen.line(`Page ${page} of ${pages}`, FOOT, { x: left + width, base, align: 'right' })
    if (page === 1) return
    told(`${fullName(own.student)}  ·  ${frame.class_name}  ·  ${periodOf(frame, card.layout)}`, 'semibold', width, 34)
    pen.rule(left, 41, width, ink.line, 0.5)
  })
}

/** Under everything else, so that what is on it stays readable. */
function drawDraft(pen: Pen, { sheet }: Card): void {
  const style: Style = { face: 'semibold', size: 150, color: ink.accent, spacing: 6 }
  const width = pen.widthOf('DRAFT', style)
  pen.decoration(() => {
    pen.document.save()
    pen.document.rotate(-52, { origin: [sheet.width / 2, sheet.height / 2] }).fillOpacity(0.06)
    pen.line('DRAFT', style, { x: (sheet.width - width) / 2, base: sheet.height / 2 + 50 })
    pen.document.fillOpacity(1).restore()
  })
}

/** Draws one card on new pages of a document; answers how many. */
export function drawCard(document: PDFKit.PDFDocument, studio: Studio, own: ReportCard): number {
  const { card, pages } = laidOut(studio, own)
  const pen = penFor(document, studio.faces)
  for (const [index, placed] of pages.entries()) {
    document.addPage()
    if (own.status === 'draft') drawDraft(pen, card)
    for (const { block, top } of placed) block.draw(pen, top)
    drawFoot(pen, card, index + 1, pages.length)
  }
  return pages.length
}

const titleOf = (studio: Studio, own: ReportCard) => `${fullName(own.student)}, ${periodOf(studio.input, studio.input.layout)}`

const paperFor = ({ input, faces }: Studio, title: string): OpenPaper =>
  openPaper(
    { title, author: input.school.name, subject: `Report card, class ${input.class_name}`, madeAt: input.madeAt },
    portrait(input.paper),
    faces,
  )

/** One card as a PDF of its own. The same input gives the same bytes. */
export function reportCard(studio: Studio, own: ReportCard): Promise<Uint8Array> {
  const { document, finish } = paperFor(studio, titleOf(studio, own))
  drawCard(document, studio, own)
  return finish()
}

/**
 * Every card in one PDF for printing, in their order. `twoSided`: a card of an odd number of pages is followed by a blank one, so that
 * no card begins on the back of another.
 */
export async function printRun(
  studio: Studio,
  { twoSided = false, onProgress }: { twoSided?: boolean; onProgress?: (done: number, total: number) => void | Promise<void> } = {},
): Promise<Uint8Array> {
  const { cards, class_name } = studio.input
  const { document, finish } = paperFor(studio, `Report cards, class ${class_name}, ${studio.input.year}`)
  for (const [index, own] of cards.entries()) {
    const pages = drawCard(document, studio, own)
    if (twoSided && pages % 2 === 1 && index < cards.length - 1) document.addPage()
    await onProgress?.(index + 1, cards.length)
  }
  if (cards.length === 0) document.addPage()
  return finish()
}
