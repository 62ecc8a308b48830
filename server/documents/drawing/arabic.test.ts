import { hasUnprintedLetters } from '@markbook/shared/domain/printed-letters'
import { PDFDict, PDFDocument, PDFHexString, PDFName, PDFString } from 'pdf-lib'
import { describe, expect, test } from 'vitest'
import { isRightToLeft, joined, visualRuns } from './bidi.ts'
import { canvasFor } from './canvas.ts'
import { type FontName, openFonts } from './fonts.ts'
import { printable, wrap } from './lines.ts'
import { openPdf, portrait } from './pdf.ts'
import { hasPoppler, textOfPdf, wordsOfPdf } from './pdf-text.fixtures.ts'

const NAMES = ['أحمد بن علي', 'مریم حسینی', 'مُحَمَّد', 'ٹڈڑے ہھ گچپژ', 'عبد الله', 'بلال', '٠١٢٣٤٥٦٧٨٩', '۰۱۲۳۴۵۶۷۸۹']
const PUNCTUATED = 'رائع؟ ممتاز، نعم؛'
const MIXED = 'أحمد Ahmed, Class 3B'
const REMARK =
  'أحمد طالب مجتهد جدا في مادة Mathematics وقد حصل على 95 في الاختبار الأخير. يحتاج إلى المزيد من القراءة باللغة English خلال العطلة. وأتمنى له التوفيق'

const runsOf = (text: string) => visualRuns(text, () => true).map((run) => run.text)

/** A document with these lines, each in its own paragraph. */
async function drawn(
  lines: readonly string[],
  { face = 'regular', width, spacing = 0 }: { face?: FontName; width?: number; spacing?: number } = {},
) {
  const fonts = await openFonts()
  const { document, finish } = openPdf({ title: 'T', author: 'A', subject: 'S', madeAt: 0, locale: 'en-GB' }, portrait('a4'), fonts)
  document.addPage()
  const canvas = canvasFor(document, fonts, { width: 595.28, isRightToLeft: false })
  for (const [at, line] of lines.entries())
    canvas.content(canvas.section, 'P', () =>
      canvas.line(
        line,
        { face, size: 20, color: '#1b1f24', spacing },
        { x: 100, base: 100 + at * 40, ...(width === undefined ? {} : { width }) },
      ),
    )
  return finish()
}

/** The glyphs of a line from left to right, as its faces lay them out. */
async function glyphsOf(text: string, name: FontName = 'regular') {
  const fonts = await openFonts()
  return fonts[name].runsOf(text).flatMap(({ text: run, face }) => face.parsed.layout(run).glyphs)
}

describe('the order of a line', () => {
  test('Latin words and figures are to the left of the Arabic word before them', () => {
    expect(runsOf(MIXED)).toEqual(['Ahmed, Class 3B', ' ', 'أحمد'])
  })

  test('an Arabic name after a label follows the label', () => {
    expect(runsOf('Class teacher: أحمد').map((run) => run.trim())).toEqual(['Class teacher:', 'أحمد'])
  })

  test('words run right to left, with mirrored brackets and unreversed digits', () => {
    expect(runsOf('نعم (لا) 12')).toEqual(['12', ' (', 'لا', ') ', 'نعم'])
  })

  test.each(['٤٥٦', '۴۵۶'])('digits are not reversed: %s', async (figures) => {
    const glyphs = await glyphsOf(`رقم ${figures}`)
    expect(glyphs.slice(0, 3).map(({ codePoints }) => String.fromCodePoint(...codePoints))).toEqual([...figures])
  })

  test('a full stop is at the left end of an Arabic sentence', () => {
    expect(runsOf('ممتاز.')).toEqual(['.', 'ممتاز'])
  })

  test('each text of a joined line is ordered by itself', () => {
    const line = joined(['شارع الملك 12, عمان', '+962 6 555 0142', 'office@amal.example'])
    expect(isRightToLeft(line)).toBe(false)
    expect(runsOf(line).join('').trim()).toMatch(/ {2}· {2}\+962 6 555 0142 {2}· {2}office@amal\.example$/)
  })

  test('texts without Arabic are joined as they are', () => {
    expect(joined(['A', 'B'])).toBe('A  ·  B')
  })
})

describe('letters', () => {
  test.each([...NAMES, PUNCTUATED].flatMap((name) => (['regular', 'semibold', 'italic'] as const).map((face) => [name, face] as const)))(
    'no glyph of «%s» is a box (%s)',
    async (name, face) => {
      const ids = (await glyphsOf(name, face)).map(({ id }) => id)
      expect(ids).not.toContain(0)
      expect(ids.length).toBeGreaterThan(2)
    },
  )

  test('are joined, and run from right to left', async () => {
    const [teh, noon, beh] = await glyphsOf('بنت')
    expect([teh, noon, beh].map((glyph) => String.fromCodePoint(...(glyph?.codePoints ?? [])))).toEqual(['ت', 'ن', 'ب'])
    const [alone] = await glyphsOf('ن')
    expect(noon?.id).not.toBe(alone?.id)
  })

  test('are not joined across a non-joiner', async () => {
    const ids = async (text: string) => (await glyphsOf(text)).map(({ id }) => id)
    const [, last] = [await ids('می'), await ids('میخ')]
    expect((await ids('می\u200cخ')).slice(-2)).toEqual(await ids('می'))
    expect(last.slice(-2)).not.toEqual(await ids('می'))
  })

  test.each([MIXED, 'عبد الله Ó Briain', 'نعم (لا) 12', PUNCTUATED, ...NAMES])(
    'the width of «%s» is the sum of its glyphs',
    async (text) => {
      const { regular } = await openFonts()
      const laidOut = regular.runsOf(text).map(({ text: run, face }) => {
        const { glyphs, positions } = face.parsed.layout(run) as unknown as { glyphs: object[]; positions: { xAdvance: number }[] }
        expect(positions).toHaveLength(glyphs.length)
        return (
          (positions.reduce((sum, { xAdvance }) => sum + xAdvance, 0) * 20) / (face.parsed as unknown as { unitsPerEm: number }).unitsPerEm
        )
      })
      expect(regular.widthOf(text, 20)).toBeCloseTo(
        laidOut.reduce((sum, each) => sum + each, 0),
        1,
      )
    },
  )
})

describe('wrapping', () => {
  test('follows the logical order; every line fits and keeps the direction of the paragraph', async () => {
    const { regular } = await openFonts()
    const lines = wrap(REMARK, regular, 11, 150)
    expect(lines.length).toBeGreaterThan(3)
    expect(printable(lines.join(' ')).replace(/[\u200e\u200f]/g, '')).toBe(REMARK)
    for (const line of lines) {
      expect(regular.widthOf(line, 11)).toBeLessThanOrEqual(150.01)
      expect(isRightToLeft(line)).toBe(true)
    }
  })

  test('a line of Latin words alone keeps the direction of its paragraph', async () => {
    const { regular } = await openFonts()
    const lines = wrap('نعم one two three.', regular, 10, regular.widthOf('one two three.', 10) + 1)
    expect(lines.map(isRightToLeft)).toEqual([true, true])
    expect(regular.runsOf(lines[1] ?? '').map(({ text }) => text)).toEqual(['.', 'three'])
  })

  test('overrides of direction are removed, and so are marks of direction in a text without Arabic', () => {
    expect(printable('a\u202eb\u200fc\u2067d\u061c')).toBe('abcd')
    expect(printable('أ\u202eب\u200f')).toBe('أب\u200f')
  })
})

describe.skipIf(!hasPoppler)('the text extracted from the PDF', () => {
  // Poppler applies the direction of most letters of a page to every line, and reverses the letters of لله.
  test.each([...NAMES.filter((name) => !name.includes('الله') && !name.includes('َّ')), 'اسم المعلم Ọlá 12', 'می\u200cخواهم'])(
    '«%s», in logical order',
    async (text) => {
      expect(textOfPdf(await drawn([text])).normalize('NFKC')).toBe(text.normalize('NFKC'))
    },
  )

  test('it is placed by its width', async () => {
    const { words } = wordsOfPdf(await drawn([MIXED]))
    const { regular } = await openFonts()
    const right = words.reduce((found, word) => (word.right > found.right ? word : found))
    expect([...right.text].sort()).toEqual([...'أحمد'].sort())
    expect(Math.min(...words.map(({ left }) => left))).toBeCloseTo(100, 0)
    expect(Math.max(...words.map(({ right }) => right))).toBeCloseTo(100 + regular.widthOf(MIXED, 20), 0)
  })

  test('with letter spacing, Arabic letters stay joined', async () => {
    const acrossOf = async (text: string, spacing: number) => {
      const { words } = wordsOfPdf(await drawn([text], { spacing }))
      return Math.max(...words.map(({ right }) => right)) - Math.min(...words.map(({ left }) => left))
    }
    expect(await acrossOf('نعم', 10)).toBeCloseTo(await acrossOf('نعم', 0), 1)
    expect(await acrossOf('yes', 10)).toBeCloseTo((await acrossOf('yes', 0)) + 20, 1)
  })

  test('an Arabic paragraph is aligned right in its paragraph, a Latin one left', async () => {
    const { words } = wordsOfPdf(await drawn(['نعم', 'yes'], { width: 300 }))
    expect(words).toHaveLength(2)
    expect(words[0]?.right).toBeCloseTo(400, 0)
    expect(words[1]?.left).toBeCloseTo(100, 0)
  })
})

describe('characters that the check before publishing reports as unprintable', () => {
  const hasBox = async (text: string) => (await glyphsOf(text)).some(({ id }) => id === 0)
  test.each(['小明', 'ひらがな', '김', 'ทดสอบ', 'שלום', 'Ֆ', '👍', '❤', 'Ａ'])('«%s» are boxes', async (text) => {
    expect([hasUnprintedLetters(text), await hasBox(text)]).toEqual([true, true])
  })
  test.each(['Ọlá Nguyễn', 'Жуков', 'Νίκος', 'नेहा', 'گچپژ', '© – “ʻ” †', '©', '®', '™'])('«%s» are not', async (text) => {
    expect([hasUnprintedLetters(text), await hasBox(text)]).toEqual([false, false])
  })
})

test('a screen reader gets the words in logical order', async () => {
  const { context } = await PDFDocument.load(await drawn([MIXED, 'Ahmed']))
  const told = context.enumerateIndirectObjects().flatMap(([, object]) => {
    const actual = object instanceof PDFDict ? object.get(PDFName.of('ActualText')) : undefined
    return actual instanceof PDFString || actual instanceof PDFHexString ? [actual.decodeText()] : []
  })
  expect(told).toEqual([MIXED])
})

test('only a document with Arabic letters has their faces, in the weights that it uses', async () => {
  const facesIn = async (...from: Parameters<typeof drawn>) =>
    new Set(
      Buffer.from(await drawn(...from))
        .toString('latin1')
        .match(/NotoNaskhArabic(-Bold)?/g),
    )
  expect(await facesIn(['Élan Ọlá, 3B'])).toEqual(new Set())
  expect(await facesIn(['Élan أحمد'])).toEqual(new Set(['NotoNaskhArabic']))
  expect(await facesIn(['Élan أحمد'], { face: 'semibold' })).toEqual(new Set(['NotoNaskhArabic-Bold']))
})
