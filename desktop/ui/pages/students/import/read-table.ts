import { limits } from '@markbook/shared/limits'
import { readCsv } from './csv.ts'
import type { ReadTable } from './table.ts'
import { readWorkbook } from './workbook.ts'

const [WORKBOOK, TEXT] = [/\.xlsx$/i, /\.(csv|tsv|txt)$/i]

/** Null for what is no such table, or cannot be read here: it is sent as it is, and the server says what is wrong with it. */
export async function readTable(file: File): Promise<ReadTable | null> {
  if (file.size > limits.body.import) return null
  const bytes = new Uint8Array(await file.arrayBuffer())
  const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b
  if (!(isZip ? WORKBOOK : TEXT).test(file.name)) return null
  const table = await (isZip ? readWorkbook(bytes, file.name) : readText(bytes, file.name)).catch(() => null)
  const [head] = table?.lines ?? []
  return head?.row === 1 ? table : null
}

async function readText(bytes: Uint8Array<ArrayBuffer>, name: string): Promise<ReadTable | null> {
  const text = decode(bytes)
  // Nor a web page or a document of a word processor that was only named like a table.
  return /(?![\t\n\r])\p{Cc}/u.test(text) || /^\s*(<|\{\\rtf)/.test(text) ? null : readCsv(text, name)
}

/** UTF-8, UTF-16 with its mark, or what Excel writes on an older machine. A mark is taken off. */
function decode(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
