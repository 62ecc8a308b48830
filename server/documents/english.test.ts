import { createHash } from 'node:crypto'
import { inflateSync } from 'node:zlib'
import { standardMarkCodes } from '@markbook/shared/domain/mark-codes'
import { expect, test } from 'vitest'
import { classOf } from './broadsheet/broadsheet.fixtures.ts'
import type { BroadsheetInput } from './broadsheet/broadsheet.input.ts'
import { broadsheetPdf } from './broadsheet/broadsheet.pdf.ts'
import { broadsheetCsv, broadsheetWorkbook } from './broadsheet/broadsheet.tables.ts'
import { elan, entries, frame, manyEntries, termLayout, yearEntries, yearLayout } from './report-card/report-card.fixtures.ts'
import type { ReportCard, ReportCardsInput, TermEntry, YearLayout } from './report-card/report-card.input.ts'
import { openCardSetup, printRun, reportCard } from './report-card/report-card.ts'
import { writeWorkbook } from './workbook.ts'

/*
 * English documents equal those of the version before documents had a language, byte for byte outside of compression; but for the † at an
 * average, which came later, and the code of the history, which cards no longer have.
 */

const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex').slice(0, 16)

/** A digest of a PDF with its streams decompressed: the compressed form, and so the positions, depend on the version of zlib. */
function digest(pdf: Uint8Array): string {
  const file = Buffer.from(pdf)
  const hash = createHash('sha256')
  const end = file.lastIndexOf('\nxref')
  for (let at = 0; at < end; ) {
    const next = file.indexOf('\nstream\n', at)
    const head = file.toString('latin1', at, next < 0 ? end : next)
    hash.update(head.replace(/\/Length \d+/g, ''))
    if (next < 0) break
    const [dictionary = ''] = head.split('obj').slice(-1)
    const start = next + '\nstream\n'.length
    at = start + Number(/\/Length (\d+)/.exec(dictionary)?.[1])
    const stream = file.subarray(start, at)
    hash.update(dictionary.includes('/FlateDecode') ? inflateSync(stream) : stream)
  }
  return hash.digest('hex').slice(0, 16)
}

const attendance = { sessions: 40, absent: 3, excused: 1, late: 2, percentage: 90 }
const [first, second] = entries as [TermEntry, TermEntry]
const coded = [
  { ...first, exam_average: null, exam_code: 'abs' },
  { ...second, exam_average: null },
]
const unknown = { overall_average: null, position: null, attendance_percentage: null, conduct: null, class_teacher_remark: null }
const arabic = { student: { ...elan.student, first_name: 'أحمد', last_name: 'حسن' }, conduct: 'جيد جدا' }
const ofTerm = (own: Partial<ReportCard<TermEntry>> = {}): ReportCard<TermEntry> => ({ ...elan, ...own })
const ofYear = (kind: YearLayout['kind'], year: Partial<YearLayout> = {}): ReportCardsInput => {
  return { ...frame, term: 'trinity', layout: { ...yearLayout(kind), ...year }, cards: [{ ...elan, entries: yearEntries(kind) }] }
}

const cards: Record<string, ReportCardsInput> = {
  term: {
    ...frame,
    codes: standardMarkCodes,
    layout: termLayout,
    cards: [
      ofTerm(),
      ofTerm({ status: 'draft', position: 11 }),
      ofTerm({ entries: coded, position: 22, attendance }),
      ofTerm({ status: 'draft', entries: manyEntries(40), attendance: { ...attendance, sessions: 1 } }),
    ],
  },
  other: {
    ...frame,
    school: { ...frame.school, name: 'مدرسة النور', address: 'شارع الملك 12' },
    term: 'Semester 1',
    class_teacher: null,
    paper: 'letter',
    layout: termLayout,
    cards: [ofTerm({ ...unknown, entries: [] }), ofTerm({ ...arabic, position: 1 })],
  },
  weighted_cumulative: ofYear('weighted_cumulative'),
  weighted_continuous: ofYear('weighted_continuous', {
    terms: ['A very long name of a term', 'Été', 'Michaelmas', 'Hilary', 'Trinity', 'Quarter 4'],
  }),
  continuous_cumulative: ofYear('continuous_cumulative', { coursework_weight: 37.5, exam_weight: 62.5 }),
}
const partial = classOf(16, 6)
const pupils = partial.pupils.map((own) => {
  const marks = Object.entries(own.marks).map(([id, mark], at) => [id, mark && { ...mark, is_partial: at === 2 }])
  return { ...own, marks: Object.fromEntries(marks) }
})
const sheets: Record<string, BroadsheetInput> = {
  partial: { ...partial, pupils, historyCode: 'ABCD-EFGH-IJKL-MNOP' },
  parts: classOf(60, 44, { report_type: 'year_end', paper: 'letter' }),
  upright: classOf(24, 18, { class_teacher: null, term: 'Semester 2' }),
}

test('report cards', async () => {
  const found: Record<string, string> = {}
  for (const [name, input] of Object.entries(cards)) found[name] = digest(await printRun(await openCardSetup(input), { twoSided: true }))
  const one = { ...frame, layout: termLayout, cards: [elan] }
  found['one'] = digest(await reportCard(await openCardSetup(one), elan))
  expect(found).toMatchInlineSnapshot(`
    {
      "continuous_cumulative": "3306577748ad5353",
      "one": "d259e1fa83936604",
      "other": "0e1346b89ad15341",
      "term": "ba56bad3ff1aba72",
      "weighted_continuous": "1801717525072c36",
      "weighted_cumulative": "98e80795966d34dc",
    }
  `)
})

test('broadsheets', async () => {
  const found: Record<string, string[]> = {}
  for (const [name, input] of Object.entries(sheets))
    found[name] = [digest(await broadsheetPdf(input)), sha256(broadsheetCsv(input)), sha256(await writeWorkbook(broadsheetWorkbook(input)))]
  expect(found).toMatchInlineSnapshot(`
    {
      "partial": [
        "81bc1f25121d47da",
        "e46b8037ef93260f",
        "cfcb9ee2f140ffc4",
      ],
      "parts": [
        "a6b2045c88b40a9f",
        "2d788260e51dd28b",
        "d1d970437c319155",
      ],
      "upright": [
        "83d2c42b90e1122d",
        "6cb1ab05ba7cb6eb",
        "556a388845daa722",
      ],
    }
  `)
})
