import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { class3B, michaelmas } from '@markbook/shared/story/school-year'
import { unzipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cardName, distinct, fileName } from '../../features/reports/files/names.ts'
import { type School, school } from '../../testing/school.ts'
import { makeClassPapers, type PapersRequest } from './class-papers.ts'

let st: School
let folder: string
beforeAll(async () => {
  st = await school()
  folder = mkdtempSync(join(tmpdir(), 'markbook-papers-'))
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await st.close()
})

const SCHOOL = 'St Brigid’s'
const wanted = (more: Partial<PapersRequest> = {}): PapersRequest => ({
  school: SCHOOL,
  class: '3b',
  term: 'Michaelmas',
  type: 'term',
  printing: { paper: 'a4', language: undefined },
  twoSided: false,
  out: join(folder, 'out'),
  ...more,
})
const make = (more?: Partial<PapersRequest>) => {
  const lines: string[] = []
  const tell = { line: (text: string) => void lines.push(text), progress: () => {} }
  return makeClassPapers(st.services, wanted(more), tell).then((written) => ({ written, lines }))
}

describe('makeClassPapers', () => {
  test('makes cards, a zip, one file for printing and the broadsheet, and changes nothing that is stored', async () => {
    await st.as.byrne.reports.generate({ body: { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term' } })
    const before = await st.digest()
    const { written } = await make()
    const there = readdirSync(join(folder, 'out'))
    expect([...there].sort()).toEqual([...written].sort())
    const cards = there.filter((name) => name.includes(', '))
    expect(cards).toHaveLength(6)
    expect(there.filter((name) => !cards.includes(name)).sort()).toEqual([
      '3B - 2025-26 Michaelmas - all reports.pdf',
      '3B - 2025-26 Michaelmas - broadsheet.csv',
      '3B - 2025-26 Michaelmas - broadsheet.pdf',
      '3B - 2025-26 Michaelmas - broadsheet.xlsx',
      '3B - 2025-26 Michaelmas - reports.zip',
    ])
    const zip = unzipSync(readFileSync(join(folder, 'out', '3B - 2025-26 Michaelmas - reports.zip')))
    expect(Object.keys(zip).sort()).toEqual([...cards].sort())
    for (const [name, bytes] of Object.entries(zip)) expect(readFileSync(join(folder, 'out', name)).equals(bytes)).toBe(true)
    expect(await st.digest()).toBe(before)
  })

  test.each<[string, Partial<PapersRequest>, RegExp]>([
    ['several schools and none named', { school: undefined }, /^Say which school, with --school: .*St Brigid’s/],
    ['a school that is not there', { school: 'Eton' }, /^There is no school Eton\./],
    ['a class that is not there', { class: '9Z' }, /^There is no class 9Z\. There are: 3A, 3B\.$/],
    ['a term that is not there', { term: 'summer' }, /^There is no term summer\. There are: michaelmas, hilary, trinity\.$/],
    ['a class of another year', { year: '2024/25' }, /^There is no class 3b\. There are: 2B\.$/],
    ['reports that nobody generated', { term: 'trinity' }, /^No reports have been generated for 3B and trinity yet\./],
  ])('says what there is for %s', async (_what, more, sentence) => {
    await expect(make(more)).rejects.toThrow(sentence)
  })
})

describe('file names', () => {
  const titled = { class_name: '3B', year: '2025/26', term: 'michaelmas', type: 'term' } as const

  test('have pupil, class and term, without characters that a system forbids', () => {
    expect(cardName({ first_name: 'Élan', last_name: 'Ó Briain' }, titled)).toBe('Ó Briain, Élan - 3B - 2025-26 Michaelmas.pdf')
    expect(cardName({ first_name: '../..\\x\u202e', last_name: 'a:b*?"<>|\u0000' }, { ...titled, type: 'year_end' })).toBe(
      'a-b - , ..-..-x - 3B - 2025-26 year end.pdf',
    )
    expect(fileName(['..'], 'pdf')).toBe('file.pdf')
    expect(fileName(['CON'], 'pdf')).toBe('file CON.pdf')
    expect(Buffer.byteLength(fileName(['ő'.repeat(500)], 'pdf'))).toBe(234)
  })

  test('of two pupils with one name are different', () => {
    expect(distinct(['Murphy.pdf', 'murphy.pdf', 'Murphy.pdf'])).toEqual(['Murphy.pdf', 'murphy (2).pdf', 'Murphy (3).pdf'])
  })
})
