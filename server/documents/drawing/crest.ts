import { deflateSync } from 'node:zlib'
import type { Crest } from '../report-card/report-card.input.ts'
import type { Canvas } from './canvas.ts'
import { readPng } from './png.ts'

/** A crest that can be embedded in any number of documents: `parts` are the streams of a PDF image, `mask` its opacity. */
export type CrestPicture = { width: number; height: number; parts: { dictionary: object; bytes: Uint8Array; mask: Uint8Array | null } }

/** Printed about 18 mm wide: more pixels are not visible, and would be in every card. */
const PIXELS = 420

/** The size and number of colours of a JPEG, from its frame header. */
function jpegFrame(bytes: Uint8Array): { width: number; height: number; colours: number } | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff; at += 2 + view.getUint16(at + 2)) {
    const marker = bytes[at + 1] as number
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { height: view.getUint16(at + 5), width: view.getUint16(at + 7), colours: bytes[at + 9] as number }
    }
  }
  return null
}

function jpegPicture(bytes: Uint8Array): CrestPicture | null {
  const frame = jpegFrame(bytes)
  if (!frame || frame.width === 0 || frame.height === 0) return null
  const ColorSpace = { 1: 'DeviceGray', 3: 'DeviceRGB', 4: 'DeviceCMYK' }[frame.colours]
  if (!ColorSpace) return null
  // Programs that write CMYK JPEGs write them inverted.
  const Decode = frame.colours === 4 ? { Decode: [1, 0, 1, 0, 1, 0, 1, 0] } : {}
  const dictionary = { ColorSpace, BitsPerComponent: 8, Filter: 'DCTDecode', ...Decode }
  return { ...frame, parts: { dictionary, bytes, mask: null } }
}

function pngPicture(bytes: Uint8Array): CrestPicture | null {
  const picture = readPng(bytes, PIXELS)
  if (!picture) return null
  const { width, height, rgb, alpha } = picture
  const dictionary = { ColorSpace: 'DeviceRGB', BitsPerComponent: 8, Filter: 'FlateDecode' }
  return { width, height, parts: { dictionary, bytes: deflateSync(rgb), mask: alpha && deflateSync(alpha) } }
}

/** The printable picture of a crest: PNG and JPEG, recognised by content; null for anything else (docs/design/reports.md). */
export function crestPicture(crest: Crest | null): CrestPicture | null {
  const [first, second] = crest?.bytes ?? []
  if (crest && first === 0x89 && second === 0x50) return pngPicture(crest.bytes)
  return crest && first === 0xff && second === 0xd8 ? jpegPicture(crest.bytes) : null
}

type Reference = { end(bytes: Uint8Array): void }
type Inside = { ref(dictionary: object): Reference }

/** pdfkit's form of an image: it embeds itself in its document once. */
type Image = { label: string; obj: Reference | null; width: number; height: number; embed(document: Inside): void }

function imageOf({ width, height, parts }: CrestPicture): Image {
  const common = { Type: 'XObject', Subtype: 'Image', Width: width, Height: height }
  return {
    label: 'Crest',
    obj: null,
    width,
    height,
    embed(document) {
      let mask = {}
      if (parts.mask) {
        const SMask = document.ref({ ...common, ColorSpace: 'DeviceGray', BitsPerComponent: 8, Filter: 'FlateDecode' })
        SMask.end(parts.mask)
        mask = { SMask }
      }
      this.obj = document.ref({ ...common, ...parts.dictionary, ...mask })
      this.obj.end(parts.bytes)
    },
  }
}

const images = new WeakMap<PDFKit.PDFDocument, Image>()

export function drawCrest(canvas: Canvas, crest: CrestPicture, at: { x: number; y: number; size: number }, alt: string): void {
  const image = images.get(canvas.document) ?? imageOf(crest)
  images.set(canvas.document, image)
  const fit: [number, number] = [at.size, at.size]
  const align = canvas.isMirrored ? { align: 'right' as const } : {}
  const [x, source] = [canvas.leftOf(at.x, at.size), image as unknown as PDFKit.Mixins.ImageSrc]
  const draw = () => void canvas.document.image(source, x, at.y, { fit, ...align, valign: 'center' })
  canvas.content(canvas.section, 'Figure', draw, { alt })
}
