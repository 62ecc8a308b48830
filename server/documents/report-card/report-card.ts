import { fullName } from '@markbook/shared/domain/full-name'
import { type Canvas, canvasFor, colors, type Style } from '../drawing/canvas.ts'
import { type CrestPicture, crestPicture } from '../drawing/crest.ts'
import { flow, heightOf, type PlacedBlock } from '../drawing/flow.ts'
import { type Fonts, openFonts } from '../drawing/fonts.ts'
import { cut } from '../drawing/lines.ts'
import { type OpenPdf, openPdf, portrait } from '../drawing/pdf.ts'
import { type Words, wordsOf } from '../words.ts'
import { type Card, type Density, densities, edge, longDensity } from './card.ts'
import { closingBlocks, remarkBlocks } from './closing.ts'
import { openingBlocks } from './opening.ts'
import type { ReportCard, ReportCardsInput } from './report-card.input.ts'
import { subjectBlocks } from './subjects.ts'

/** The diagonal length available for the word DRAFT, in points. */
const DRAFT_WIDTH = 700
const FOOT: Style = { face: 'regular', size: 7.2, color: colors.quiet }

/** Shared by the cards of a class; opened once. */
export type CardSetup = { input: ReportCardsInput; fonts: Fonts; words: Words; crest: CrestPicture | null }
export async function openCardSetup(input: ReportCardsInput): Promise<CardSetup> {
  const words = wordsOf(input.language)
  return { input, fonts: await openFonts(words.isRightToLeft), words, crest: crestPicture(input.school.crest) }
}

function cardOf({ input, fonts, words, crest }: CardSetup, own: ReportCard, density: Density): Card {
  const sheet = portrait(input.paper)
  const frame = { ...input, scale: words.scale(own.scale ?? input.scale) }
  const layout = own.layout ?? input.layout
  return { frame, layout, own, fonts, words, crest, sheet, left: edge.side, width: sheet.width - 2 * edge.side, density }
}

/** Lays out a card with the widest spacing with which it fits one page, else on several pages. */
function laidOut(setup: CardSetup, own: ReportCard, step = 0): { card: Card; pages: PlacedBlock[][] } {
  const card = cardOf(setup, own, densities[step] ?? longDensity)
  const { head, blocks } = subjectBlocks(card)
  const placed = { head, blocks: [...openingBlocks(card), ...blocks, ...remarkBlocks(card)], closing: closingBlocks(card) }
  const bounds = { first: edge.top, top: edge.later, bottom: card.sheet.height - edge.bottom }
  const height = heightOf(placed.blocks) + (head?.height ?? 0) + heightOf(placed.closing)
  const isTooLong = bounds.first + height > bounds.bottom
  return isTooLong && step < densities.length ? laidOut(setup, own, step + 1) : { card, pages: flow({ ...placed, ...bounds }) }
}

function drawFooter(canvas: Canvas, card: Card, page: number, pages: number): void {
  const { left, width, sheet, frame, own, words } = card
  const base = sheet.height - edge.foot
  const draw = (text: string, face: 'regular' | 'semibold', room: number, at: number) =>
    canvas.line(cut(text, card.fonts[face], FOOT.size, room), { ...FOOT, face }, { x: left, base: at })
  canvas.decoration(() => {
    const number = words.foot(page, pages)
    const made = words.joined([frame.school.name, words.say('madeOn', { day: words.dayOf(frame.madeAt) })])
    draw(made, 'regular', width - Math.max(70, canvas.widthOf(number, FOOT) + 12), base)
    canvas.line(number, FOOT, { x: left + width, base, align: 'right' })
    if (page === 1) return
    const period = words.period(frame, card.layout.kind === 'term')
    draw(words.joined([fullName(own.student), frame.class_name, period]), 'semibold', width, 34)
    canvas.rule(left, 41, width, colors.line, 0.5)
  })
}

/** Drawn below everything else, so that the text stays readable. */
function drawDraft(canvas: Canvas, { sheet, words }: Card): void {
  const draft = words.say('card.draft').toUpperCase()
  const usual: Style = { face: 'semibold', size: 150, color: colors.accent, spacing: 6 }
  const style = { ...usual, size: Math.min(usual.size, (usual.size * DRAFT_WIDTH) / canvas.widthOf(draft, usual)) }
  const width = canvas.widthOf(draft, style)
  canvas.decoration(() => {
    canvas.document.save()
    const angle = canvas.isMirrored ? 52 : -52
    canvas.document.rotate(angle, { origin: [sheet.width / 2, sheet.height / 2] }).fillOpacity(0.06)
    canvas.line(draft, style, { x: (sheet.width - width) / 2, base: sheet.height / 2 + 50 })
    canvas.document.fillOpacity(1).restore()
  })
}

/** Draws one card on new pages of a document; returns their number. */
export function drawCard(document: PDFKit.PDFDocument, setup: CardSetup, own: ReportCard): number {
  const { card, pages } = laidOut(setup, own)
  const canvas = canvasFor(document, setup.fonts, { width: card.sheet.width, isRightToLeft: card.words.isRightToLeft })
  for (const [index, placed] of pages.entries()) {
    document.addPage()
    if (own.status === 'draft') drawDraft(canvas, card)
    for (const { block, top } of placed) block.draw(canvas, top)
    drawFooter(canvas, card, index + 1, pages.length)
  }
  return pages.length
}

function pdfFor({ input, fonts, words }: CardSetup, title: string): OpenPdf {
  const subject = withoutMarks(input).say('card.about', { class: input.class_name })
  const about = { title, author: input.school.name, subject, madeAt: input.madeAt, locale: words.locale }
  return openPdf(about, portrait(input.paper), fonts)
}

/** The words for the metadata of a file. */
const withoutMarks = ({ language }: ReportCardsInput): Words => wordsOf(language, true)

/** One card as its own PDF. Equal input gives equal bytes. */
export function reportCard(setup: CardSetup, own: ReportCard): Promise<Uint8Array> {
  const { input } = setup
  const { say, period } = withoutMarks(input)
  const title = say('card.title', { name: fullName(own.student), period: period(input, input.layout.kind === 'term') })
  const { document, finish } = pdfFor(setup, title)
  drawCard(document, setup, own)
  return finish()
}

/**
 * All cards in one PDF for printing, in order. `twoSided`: adds a blank page after a card with an odd number of pages, so that no card
 * begins on the back of another.
 */
export async function printRun(
  setup: CardSetup,
  { twoSided = false, onProgress }: { twoSided?: boolean; onProgress?: (done: number, total: number) => void | Promise<void> } = {},
): Promise<Uint8Array> {
  const { cards, class_name } = setup.input
  const { document, finish } = pdfFor(setup, withoutMarks(setup.input).say('card.run', { class: class_name, year: setup.input.year }))
  for (const [index, own] of cards.entries()) {
    const pages = drawCard(document, setup, own)
    if (twoSided && pages % 2 === 1 && index < cards.length - 1) document.addPage()
    await onProgress?.(index + 1, cards.length)
  }
  if (cards.length === 0) document.addPage()
  return finish()
}
