import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { drawCard, openCardSetup, printRun } from '@markbook/server/documents/report-card/report-card'
import { elan, frame, termLayout } from '@markbook/server/documents/report-card/report-card.fixtures'
import type { ReportCardsInput } from '@markbook/server/documents/report-card/report-card.input'
import { degrees, PDFDocument, type PDFFont, type PDFPage, rgb } from 'pdf-lib'
import type { Pair } from '../measure.ts'
import { root } from '../paths.ts'
import { meter, type Spent, serveCommands } from '../program.ts'

/** One side of a pair: the report cards of a class, drawn once in one document. */
export type Drawn = Spent & { bytes: number }

const input: ReportCardsInput = {
  ...frame,
  layout: termLayout,
  cards: Array.from({ length: 40 }, (_, at) => ({
    ...elan,
    id: String(at),
    student: { ...elan.student, first_name: `Élan ${at + 1}` },
    class_teacher_remark: `${elan.class_teacher_remark} ${at + 1}`,
  })),
}

type Face = 'regular' | 'semibold' | 'italic'
type Stroke = (page: PDFPage, faces: Record<Face, PDFFont>) => void

/** A fake document that records the drawing calls of each page, so that the control needs no layout. */
function recorder() {
  const pages: Stroke[][] = []
  const now = { face: 'regular' as Face, size: 0, color: '#000000', opacity: 1, turned: false, rect: [0, 0, 0, 0] }
  const methods: Record<string, (...args: never[]) => void> = {
    addPage: () => void pages.push([]),
    font: (face: Face) => void Object.assign(now, { face }),
    fontSize: (size: number) => void Object.assign(now, { size }),
    fillColor: (color: string) => void Object.assign(now, { color }),
    fillOpacity: (opacity: number) => void Object.assign(now, { opacity }),
    rotate: () => void Object.assign(now, { turned: true }),
    restore: () => void Object.assign(now, { turned: false }),
    rect: (...rect: number[]) => void Object.assign(now, { rect }),
    fill: (color: string) => {
      const [x = 0, y = 0, width = 0, height = 0] = now.rect
      pages.at(-1)?.push((page) => page.drawRectangle({ x, y: page.getHeight() - y - height, width, height, color: colorOf(color) }))
    },
    text: (text: string, x: number, y: number) => {
      const { face, size, color, opacity, turned } = now
      pages.at(-1)?.push((page, faces) => {
        const place = turned ? { x: 200, y: 250, rotate: degrees(52) } : { x, y: page.getHeight() - y }
        page.drawText(text, { ...place, size, font: faces[face], color: colorOf(color), opacity })
      })
    },
  }
  const document: unknown = new Proxy(
    {},
    {
      get:
        (_, name: string) =>
        (...args: never[]) => {
          methods[name]?.(...args)
          return name === 'struct' ? { add: () => {} } : document
        },
    },
  )
  return { document: document as PDFKit.PDFDocument, pages }
}

const fonts = join(root, 'node_modules', '@embedpdf', 'fonts-latin', 'fonts')
const FILES: Record<Face, string> = { regular: 'NotoSans-Regular.ttf', semibold: 'NotoSans-SemiBold.ttf', italic: 'NotoSans-Italic.ttf' }

type Subset = { encode(): Uint8Array; encodeStream?: () => Readable }
const { create } = createRequire(import.meta.url)('fontkit') as { create(bytes: Uint8Array): { createSubset(): Subset } }

/** pdf-lib expects an older fontkit, whose subsets were streams. */
const fontkit = {
  create: (bytes: Uint8Array) => {
    const font = create(bytes)
    const createSubset = font.createSubset.bind(font)
    font.createSubset = () => {
      const subset = createSubset()
      subset.encodeStream = () => Readable.from([Buffer.from(subset.encode())])
      return subset
    }
    return font
  },
}

const colorOf = (hex: string) =>
  rgb(...([1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255) as [number, number, number]))

async function control(pages: readonly Stroke[][]): Promise<Uint8Array> {
  const document = await PDFDocument.create()
  document.registerFontkit(fontkit as never)
  const embed = (face: Face) => document.embedFont(readFileSync(join(fonts, FILES[face])), { subset: true })
  const faces = { regular: await embed('regular'), semibold: await embed('semibold'), italic: await embed('italic') }
  for (const strokes of pages) {
    const page = document.addPage([595.28, 841.89])
    for (const stroke of strokes) stroke(page, faces)
  }
  return document.save()
}

async function spent(work: () => Promise<Uint8Array>): Promise<Drawn> {
  const measured = meter()
  const { length } = await work()
  return { ...measured(), bytes: length }
}

const { document, pages } = recorder()
const setup = await openCardSetup(input)
for (const card of input.cards) drawCard(document, setup, card)

serveCommands({
  pair: async (): Promise<Pair<Drawn>> => ({
    ours: await spent(async () => printRun(await openCardSetup(input))),
    control: await spent(() => control(pages)),
  }),
})
