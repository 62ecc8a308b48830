import { limits } from '@markbook/shared/limits'
import { decodeText, HAS_APOSTROPHE } from '@markbook/shared/spreadsheet/csv-text'
import { useEffect, useState } from 'react'
import { type ReadTable, readCsv, tableOf } from './csv.ts'

/**
 * The table of a file: undefined while it is read, null where it cannot be read here. `sheet`: the sheet of a workbook; by default the one
 * that the server would read.
 */
export function useTable(file: File | null, sheet?: string): ReadTable | null | undefined {
  const [read, setRead] = useState<{ file: File; sheet: string | undefined; table: ReadTable | null } | null>(null)
  useEffect(() => {
    let isWanted = true
    if (file) void readTable(file, sheet).then((table) => isWanted && setRead({ file, sheet, table }))
    return () => {
      isWanted = false
    }
  }, [file, sheet])
  return read?.file === file && read?.sheet === sheet ? read?.table : undefined
}

/** The sheets of a workbook with several; else none. */
export function useSheets(file: File | null): readonly string[] {
  const [found, setFound] = useState<{ file: File; names: readonly string[] } | null>(null)
  useEffect(() => {
    let isWanted = true
    if (file && WORKBOOK.test(file.name))
      void sheetsOf(file)
        .catch(() => [])
        .then((names) => isWanted && setFound({ file, names }))
    return () => {
      isWanted = false
    }
  }, [file])
  return found?.file === file && found && found.names.length > 1 ? found.names : []
}

async function sheetsOf(file: File): Promise<string[]> {
  if (file.size > limits.body.importBytes) return []
  const { sheetNames } = await import('@markbook/shared/spreadsheet/workbook')
  return sheetNames(new Uint8Array(await file.arrayBuffer()))
}

const [WORKBOOK, TEXT] = [/\.xlsx$/i, /\.(csv|tsv|txt)$/i]

/** Reads a file; null where it is no table or cannot be read here. Then it is sent unchanged, and the server reports what is wrong. */
export async function readTable(file: File, sheet?: string): Promise<ReadTable | null> {
  if (file.size > limits.body.importBytes) return null
  const bytes = new Uint8Array(await file.arrayBuffer())
  const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b
  if (!(isZip ? WORKBOOK : TEXT).test(file.name)) return null
  const table = await (isZip ? readSheet(bytes, file.name, sheet) : readText(bytes, file.name)).catch(() => null)
  const [head] = table?.lines ?? []
  return head?.row === 1 ? table : null
}

/** A workbook with a later row is sent unchanged: as text it would be mostly blank lines. */
const LAST_ROW = 100_000

/** Reads a sheet, by default the one that the server would read. It is sent as text. */
async function readSheet(bytes: Uint8Array<ArrayBuffer>, name: string, sheet: string | undefined): Promise<ReadTable | null> {
  // Loaded for the first workbook.
  const { readWorkbook } = await import('@markbook/shared/spreadsheet/workbook')
  const { head, rows } = await readWorkbook(bytes, sheet === undefined ? [] : [sheet])
  const last = rows.at(-1)?.row ?? 1
  if (last > LAST_ROW) return null
  const records: string[][] = Array.from({ length: last }, () => [])
  // The server removes the apostrophe from such cells of a text file.
  for (const { row, cells } of [{ row: 1, cells: head }, ...rows])
    records[row - 1] = cells.map((cell) => (HAS_APOSTROPHE.test(cell) ? `'${cell}` : cell))
  return tableOf(records, name)
}

async function readText(bytes: Uint8Array<ArrayBuffer>, name: string): Promise<ReadTable | null> {
  const text = decodeText(bytes)
  // Neither binary data, nor HTML or RTF with the name of a table.
  return /(?![\t\n\r])\p{Cc}/u.test(text) || /^\s*(<|\{\\rtf)/.test(text) ? null : readCsv(text, name)
}
