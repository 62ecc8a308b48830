import type { Letterhead } from '../report-card/report-card.input.ts'
import type { Words } from '../words.ts'
import { baseIn, colors, type Style } from './canvas.ts'
import { type CrestPicture, drawCrest } from './crest.ts'
import type { Block } from './flow.ts'
import type { Fonts } from './fonts.ts'
import { wrap } from './lines.ts'

const NAME: Style = { face: 'semibold', size: 19, color: colors.accent }
const LINE: Style = { face: 'regular', size: 8.5, color: colors.quiet }
const CREST = 52
const GAP = 14
const RULE = 12

type LetterheadLayout = { crest: CrestPicture | null; fonts: Fonts; words: Words; left: number; width: number }

/** The school's name, address and crest above a rule in its colour; `gap`: the space below it. */
export function letterhead(
  { name, address, email, phone }: Letterhead,
  { crest, fonts, words, left, width }: LetterheadLayout,
  gap: number,
): Block {
  const across = crest ? CREST * Math.min(1, crest.width / crest.height) : 0
  const indent = crest ? across + GAP : 0
  const size = fonts.semibold.widthOf(name, NAME.size) > 2 * (width - indent) ? 12 : NAME.size
  const names = wrap(name, fonts.semibold, size, width - indent)
  const contact = words.joined([address?.replace(/\s*\n\s*/g, ', ') ?? '', phone ?? '', email ?? ''].filter((part) => part !== ''))
  const lines = wrap(contact, fonts.regular, LINE.size, width - indent)
  const text = names.length * size * 1.3 + lines.length * LINE.size * 1.45
  const body = Math.max(text, crest ? CREST : 0)
  return {
    height: body + RULE + gap,
    draw: (on, top) => {
      on.decoration(() => on.rule(left, top + body + RULE - 1, width, colors.accent, 1.5))
      if (crest) drawCrest(on, crest, { x: left, y: top + (body - CREST) / 2, size: CREST }, words.say('crest', { name }))
      const x = left + indent
      const first = top + (body - text) / 2
      const below = first + names.length * size * 1.3
      on.content(on.section, 'H1', () => on.lines(names, { ...NAME, size }, { x, base: baseIn(first, size * 1.3, size) }, size * 1.3))
      const leading = LINE.size * 1.45
      if (lines.length > 0)
        on.content(on.section, 'P', () => on.lines(lines, LINE, { x, base: baseIn(below, leading, LINE.size) }, leading))
    },
  }
}
