import { importFailures } from '@markbook/shared/contract/imports'

/** Windows-1252 differs from Latin-1 in these 32 places only; Node's own decoder leaves them as control characters. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

const fromWindows1252 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('latin1')
    .replace(/[\u0080-\u009f]/g, (letter) => WINDOWS_1252[letter.charCodeAt(0) - 0x80] ?? letter)

function decode(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le', { fatal: true }).decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be', { fatal: true }).decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return fromWindows1252(bytes)
  }
}

/**
 * Text of a file in UTF-8, UTF-16 with its mark, or else Windows-1252 (what Excel writes on an older machine), without the mark.
 * Throws imports.unreadable for anything that holds control characters, which no spreadsheet saved as text does.
 */
export function toText(bytes: Uint8Array): string {
  let text: string
  try {
    text = decode(bytes)
  } catch {
    throw importFailures.unreadable()
  }
  if (/(?![\t\n\r])\p{Cc}/u.test(text)) {
    throw importFailures.unreadable({ message: 'This file holds characters that are not text. Save it again as .xlsx or .csv.' })
  }
  return text
}
