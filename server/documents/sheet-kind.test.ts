import { limits } from '@markbook/shared/limits'
import { row, workbook, worksheet } from '@markbook/shared/spreadsheet/workbook.fixtures'
import { strToU8, zipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { readSheet } from './read-sheet.ts'
import { sheetKind } from './sheet-kind.ts'

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const zip = zipSync({ a: strToU8('a') })
const csv = strToU8('a,b\n1,2\n')

test.each([
  ['xlsx', zip, XLSX, 'marks.xlsx'],
  ['xlsx', zip, undefined, undefined],
  ['xlsx', zip, 'application/octet-stream', 'MARKS.XLSX'],
  ['csv', csv, 'text/csv; charset=utf-8', 'marks.csv'],
  ['csv', csv, 'application/vnd.ms-excel', 'marks.csv'],
  ['csv', csv, '', 'marks.3B.tsv'],
  ['csv', csv, undefined, 'marks'],
])('%s', (kind, bytes, type, filename) => expect(sheetKind({ bytes, type, filename })).toBe(kind))

test.each([
  ['a web page called .xls', strToU8('\ufeff  <!DOCTYPE html><table>'), 'application/vnd.ms-excel', 'marks.xls', 'a web page'],
  ['a bare table called .csv', strToU8('<table><tr>'), 'text/csv', 'marks.csv', 'a web page'],
  ['XML', strToU8('<?xml version="1.0"?><Workbook/>'), undefined, 'marks.xml', 'an XML document'],
  ['a PDF', strToU8('%PDF-1.7 …'), 'text/csv', 'marks.csv', 'a PDF'],
  ['a PNG', Buffer.from('89504e470d0a1a0a', 'hex'), undefined, 'marks.csv', 'a picture'],
  ['a JPEG', Buffer.from('ffd8ffe000104a46', 'hex'), undefined, undefined, 'a picture'],
  ['an old workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'application/vnd.ms-excel', 'marks.xls', 'an old .xls workbook'],
  ['OpenDocument', zip, 'application/octet-stream', 'marks.ods', 'a .ods file'],
  ['a workbook called .csv', zip, 'text/csv', 'marks.csv', 'an Excel workbook'],
  ['text called .xlsx', csv, XLSX, 'marks.xlsx', 'not an Excel workbook'],
  ['a workbook declared as text', zip, 'text/plain', 'marks.xlsx', 'an Excel workbook'],
  ['JSON', strToU8('{}'), 'application/json', undefined, 'not a spreadsheet'],
])('%s is refused with what to do', (_, bytes, type, filename, what) => {
  expect(() => sheetKind({ bytes, type, filename })).toThrow(
    expect.objectContaining({
      status: 415,
      code: 'imports.wrong_type',
      message: expect.stringMatching(new RegExp(`${what}.*Save it as \\.xlsx or \\.csv\\.`)),
    }),
  )
})

test('for a part of a larger buffer, only the part is examined', () => {
  const pool = Buffer.concat([zip, csv])
  expect(sheetKind({ bytes: new Uint8Array(pool.buffer, pool.byteOffset + zip.length, csv.length) })).toBe('csv')
})

describe('one reader for both', () => {
  test('reads either kind', async () => {
    const expected = { head: ['name'], rows: [{ row: 2, cells: ['Ada'] }] }
    expect(await readSheet({ bytes: strToU8('name\nAda'), filename: 'a.csv' })).toEqual(expected)
    expect(await readSheet({ bytes: workbook({ sheets: [{ name: 'A', xml: worksheet(row(1, 'name') + row(2, 'Ada')) }] }) })).toEqual(
      expected,
    )
  })

  test('an empty file, and one that is too large', async () => {
    await expect(readSheet({ bytes: new Uint8Array() })).rejects.toMatchObject({ status: 400, message: 'This file is empty.' })
    const large = Buffer.alloc(limits.body.importBytes + 1)
    large.write('PK\u0003\u0004')
    await expect(readSheet({ bytes: large })).rejects.toMatchObject({ status: 413, code: 'imports.too_large' })
  })
})
