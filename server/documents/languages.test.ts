import { standardMarkCodes } from '@markbook/shared/domain/mark-codes'
import { readWorkbook } from '@markbook/shared/spreadsheet/workbook'
import en from '@markbook/shared/words/en/documents.json' with { type: 'json' }
import { strFromU8, unzipSync } from 'fflate'
import { PDFDocument, PDFName } from 'pdf-lib'
import { describe, expect, test } from 'vitest'
import { classOf } from './broadsheet/broadsheet.fixtures.ts'
import type { BroadsheetInput } from './broadsheet/broadsheet.input.ts'
import { broadsheetPdf } from './broadsheet/broadsheet.pdf.ts'
import { broadsheetCsv, broadsheetWorkbook } from './broadsheet/broadsheet.tables.ts'
import { readCsv } from './csv.ts'
import { hasPoppler, pagesOfPdf, textOfPdf, type Words, wordsOfPdf } from './drawing/pdf-text.fixtures.ts'
import { elan, entries, frame, manyEntries, termLayout, yearEntries, yearLayout } from './report-card/report-card.fixtures.ts'
import type { ReportCard, ReportCardFrame, ReportCardsInput, TermEntry } from './report-card/report-card.input.ts'
import { openCardSetup, reportCard } from './report-card/report-card.ts'
import { writeWorkbook } from './workbook.ts'

type Language = NonNullable<ReportCardFrame['language']>
const attendance = { sessions: 40, absent: 3, excused: 1, late: 2, percentage: 90 }
const long = 'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch'

const ofTerm = (language: Language, own: Partial<ReportCard<TermEntry>> = {}, more: Partial<ReportCardFrame> = {}): ReportCardsInput => ({
  ...frame,
  codes: standardMarkCodes,
  language,
  ...more,
  layout: termLayout,
  cards: [{ ...elan, attendance, ...own }],
})
const ofYear = (language: Language): ReportCardsInput => ({
  ...frame,
  language,
  layout: { ...yearLayout('weighted_continuous'), terms: ['michaelmas', 'Semester 2', 'trinity'] },
  cards: [{ ...elan, entries: yearEntries('weighted_continuous') }],
})
const drawn = async (input: ReportCardsInput) => reportCard(await openCardSetup(input), input.cards[0] as ReportCard)
const coded = entries.map((entry, at) => (at === 1 ? { ...entry, exam_average: null, exam_code: 'abs' } : entry))
const sheet = (language: Language, more: Partial<BroadsheetInput> = {}): BroadsheetInput => {
  const input = classOf(22, 6, { language, ...more })
  const partial = input.pupils.map((own, at) => {
    const [first, mark] = Object.entries(own.marks)[0] ?? ['', null]
    return at === 0 && mark ? { ...own, marks: { ...own.marks, [first]: { ...mark, is_partial: true } } } : own
  })
  return { ...input, pupils: partial }
}

/** Words of the catalogue that are equal in both languages, or that the school also wrote. */
const ALIKE = new Set(['Total', 'Code', 'Excellent', 'Absent', 'Art', 'Class', 'Mathematics'])
/** Every English sentence or label of the documents, except those with values. */
function englishOf(group: object): string[] {
  return Object.values(group).flatMap((value: string | object) => (typeof value === 'string' ? [value] : englishOf(value)))
}
const labels = englishOf({ card: en.card, broadsheet: en.broadsheet }).filter((label) => !label.includes('{{') && !ALIKE.has(label))
const hasWord = (text: string, label: string) => new RegExp(`(^|[^\\p{L}])${label.replaceAll('.', '\\.')}($|[^\\p{L}])`, 'u').test(text)

/** The entries without the school's own texts, which are not translated. */
const withoutRemarks = coded.map((entry, at) => ({ ...entry, subject: `S${at}`, teacher: 'Ada Nowak', teacher_remark: null }))
const plain = { entries: withoutRemarks, conduct: 'x', class_teacher_remark: 'y', status: 'draft' as const }

describe.runIf(hasPoppler)('a report card in French', () => {
  test('every label, figure, day and standard word', async () => {
    const text = textOfPdf(await drawn(ofTerm('fr', { ...plain, position: 3 })))
    for (const told of [
      ...['BULLETIN SCOLAIRE', 'TRIMESTRE MICHAELMAS 2025/26', 'BROUILLON', 'Numéro d’élève', '4 mars 2011', 'Professeur principal'],
      ...['81,66 %', 'Moyenne générale', 'Mention générale', 'A Excellent', '3e sur 28', 'Rang dans la classe', '96,5 %', 'Assiduité'],
      ...['absent 3, excusé 1, en retard 2 sur 40 appels', 'Contrôle', 'continu', '40 %', 'Examen', 'Résultat', 'sur 100', 'Appréciation'],
      ...['Très bien', 'le contrôle continu compte pour 40 % et l’examen pour 60 %', 'abs : Absent.', '† Le contrôle continu ou l’examen'],
      ...['Conduite', 'Appréciation du', 'professeur principal', 'Barème', '80 – 89,99', 'la note de passage est 50', 'Parent ou tuteur'],
      ...['établi le 12 décembre 2025', 'Page 1 sur 1'],
    ])
      expect(text).toContain(told)
    expect(labels.filter((label) => hasWord(text, label))).toEqual([])
  })

  test('a long label continues below, not into the text beside it', async () => {
    const { words } = wordsOfPdf(await drawn(ofTerm('fr')))
    const topOf = (word: string) => words.find(({ text }) => text === word)?.top ?? Number.NaN
    const between = words.filter(({ top }) => top > topOf('Conduite') && top < topOf('Barème'))
    const label = between.filter(({ text }) => ['Appréciation', 'professeur', 'principal'].includes(text))
    expect(label).toHaveLength(3)
    for (const { right } of label) expect(right).toBeLessThan(46 + 112)
  })

  test('the year’s end: known terms translated, a school’s own unchanged', async () => {
    const text = textOfPdf(await drawn(ofYear('fr')))
    for (const told of ['Michaelmas', 'Semester 2', 'période', 'fin d’année', 'Note annuelle', 'Moyenne annuelle'])
      expect(text).toContain(told)
    expect(text).toContain('la moyenne des périodes compte pour 40 %')
    // Its letters have spacing.
    expect(text.replaceAll(' ', '')).toContain('BULLETINDEFIND’ANNÉE·ANNÉE2025/26')
  })

  test('a school’s own words are not translated', async () => {
    const scale = { passMark: 45, bands: [{ letter: 'A', minimum: 0, remark: 'Well done' }] }
    const codes = [{ code: 'abs', name: 'Away', effect: 'left_out', printed: true }] as const
    const text = textOfPdf(await drawn(ofTerm('fr', { entries: coded }, { scale, codes, term: 'Semester 1' })))
    for (const told of ['A Well done', 'abs : Away.', 'SEMESTER 1, 2025/26', 'Careful, tidy work.']) expect(text).toContain(told)
  })
})

/** The text without combining signs, which poppler places beside other letters with a space. */
const bare = (text: string): string => text.normalize('NFKC').replace(/[\p{M}\p{Cf}\s]/gu, '')

/** The words on this one's line, from right to left. */
const lineOf = ({ words }: Words, text: string) => {
  const { top, page } = words.find((word) => word.text === text) ?? { top: Number.NaN, page: 0 }
  return words.filter((word) => word.page === page && Math.abs(word.top - top) < 2).sort((a, b) => b.left - a.left)
}

describe.runIf(hasPoppler)('a report card in Arabic', () => {
  test('every label, figure, day and standard word', async () => {
    const pages = pagesOfPdf(await drawn(ofTerm('ar', { ...plain, position: 3, attendance: { ...attendance, sessions: 2 } })))
    expect(pages).toHaveLength(1)
    const text = pages[0] ?? ''
    for (const told of [
      ...['بطاقة تقرير', 'فصل ميكلماس', 'مسودة', 'الصف', 'رقم التلميذ', 'تاريخ الميلاد', 'مارس', 'مربّي الصف', 'الغياب', 'سجلّين'],
      ...['المعدّل العام', 'التقدير العام', 'الترتيب في الصف', 'الحضور', 'المادة', 'أعمال السنة', 'الامتحان', 'النتيجة', 'الملاحظة'],
      ...['ممتاز', 'غائب', 'السلوك', 'ملاحظة مربّي الصف', 'سلّم التقديرات', 'إدارة المدرسة', 'وليّ الأمر', 'ديسمبر', '81.66', '96.5'],
    ])
      expect(bare(text)).toContain(bare(told))
    expect(labels.filter((label) => hasWord(text, label))).toEqual([])
  })

  test('the first column is on the right, then the others in order; Latin remarks are aligned left', async () => {
    const found = wordsOfPdf(await drawn(ofTerm('ar')))
    const row = lineOf(found, 'Mathematics').map(({ text }) => text)
    expect(row.filter((text) => /^(Mathematics|[\d.]+|B)$/.test(text))).toEqual(['Mathematics', '83.75', '71.00', '76.10', 'B'])
    expect(found.words.find(({ text }) => text === 'Mathematics')?.right).toBeCloseTo(found.width - 46, 0)
    expect(found.words.find(({ text }) => text === 'Careful,')?.left).toBeCloseTo(46, 0)
    expect(lineOf(found, 'Cathal').at(0)?.text).toBe('3B')
  })

  test('is declared as Arabic for screen readers', async () => {
    const file = await PDFDocument.load(await drawn(ofTerm('ar')), { updateMetadata: false })
    expect(String(file.catalog.get(PDFName.of('Lang')))).toContain('ar')
    expect(file.getTitle()).toBe('Élan Ó Briain، فصل ميكلماس 2025/26')
  })
})

describe.runIf(hasPoppler)('a broadsheet', () => {
  test('in French', async () => {
    const text = textOfPdf(await broadsheetPdf(sheet('fr', { historyCode: 'ABCD-EFGH-IJKL-MNOP' })))
    for (const told of [
      'Historique ABCD-EFGH-IJKL-MNOP · Page 1 sur 2',
      ...['Tableau de classe · classe 3B · Trimestre Michaelmas 2025/26', 'Professeur principal : Cathal Byrne', 'Avec un résultat'],
      ...[
        'Moyenne de la classe',
        'Médiane',
        'La plus haute',
        'La plus basse',
        'Reçus',
        'Taux de réussite',
        'N° Élève',
        'Moyenne Mention Rang',
      ],
      ...['Mention A+', 'Les notes sont les résultats de la période', 'sous la note de passage de 50', '† repose sur le contrôle continu'],
      ...['Par sexe', 'Filles', 'Garçons', '38,00'],
    ])
      expect(text).toContain(told)
    expect(labels.filter((label) => hasWord(text, label))).toEqual([])
  })

  test('in Arabic, with names on the right and positions on the left', async () => {
    const bytes = await broadsheetPdf(sheet('ar'))
    const text = textOfPdf(bytes)
    for (const told of ['الكشف العام', 'معدّل الصف', 'الوسيط', 'الناجحون', 'نسبة النجاح', 'حسب الجنس', 'بنات', 'التقدير'])
      expect(bare(text)).toContain(bare(told))
    expect(labels.filter((label) => hasWord(text, label))).toEqual([])
    const row = lineOf(wordsOfPdf(bytes), 'Murphy,').map(({ text }) => text)
    expect(row.slice(0, 4)).toEqual(['1', 'Aoife', 'Murphy,', '38.00'])
    expect(row.at(-1)).toBe('1')
  })

  test('as a workbook: no word of a head is split', () => {
    for (const language of ['en', 'fr', 'ar'] as const)
      for (const { head, width } of broadsheetWorkbook(sheet(language)).sheets.flatMap(({ columns }) => columns))
        for (const word of head.split(' ')) expect(width, `${language} ${word}`).toBeGreaterThanOrEqual(word.length + 2)
  })

  test('as tables: heads and statistics in French, numeric cells; in Arabic the first column on the right', async () => {
    const french = readCsv(broadsheetCsv(sheet('fr')))
    expect(french.head.slice(0, 4)).toEqual(['Nom', 'Prénom', 'Numéro d’élève', 'Sexe'])
    expect(french.rows[0]?.cells[4]).toBe('38')
    // As a French spreadsheet reads it: gender in the singular, decimal commas, and one cell for each value.
    const lines = strFromU8(broadsheetCsv(sheet('fr'))).split('\r\n')
    expect(lines[0]).toMatch(/^\ufeff?Nom;Prénom;Numéro d’élève;Sexe;/)
    expect(lines[1]).toMatch(/;(féminin|masculin|autre);38;/)
    expect(lines.find((line) => line.startsWith('Moyenne;'))).toMatch(/;\d+,\d+;/)
    expect(strFromU8(broadsheetCsv(sheet('ar')))).toMatch(/;(أنثى|ذكر|غير ذلك);38;/)
    expect(strFromU8(broadsheetCsv(sheet('en')))).toMatch(/,(female|male|other),38,/)
    const first = french.rows.map(({ cells }) => cells[0])
    expect(first).toEqual(
      expect.arrayContaining(['Moyenne', 'Taux de réussite, en %', 'Mention A+', 'Moyenne, filles', 'Résultats partiels']),
    )
    const arabic = await writeWorkbook(broadsheetWorkbook(sheet('ar')))
    expect((await readWorkbook(arabic, ['الصف'])).rows.map(({ cells }) => cells[0])).toContain('نسبة النجاح، %')
    expect(strFromU8(unzipSync(arabic)['xl/worksheets/sheet1.xml'] as Uint8Array)).toContain('<sheetView rightToLeft="1"')
    const english = await writeWorkbook(broadsheetWorkbook(sheet('en')))
    expect(strFromU8(unzipSync(english)['xl/worksheets/sheet1.xml'] as Uint8Array)).not.toContain('rightToLeft')
  })
})

describe.runIf(hasPoppler).each(['fr', 'ar'] as const)('in %s, whatever the names', (language) => {
  const onPaper = ({ width, height, words }: Words, edge: number) => {
    for (const { left, right, top, bottom, text } of words) {
      expect(left, text).toBeGreaterThan(edge)
      expect(right, text).toBeLessThan(width - edge)
      expect(top, text).toBeGreaterThan(10)
      expect(bottom, text).toBeLessThan(height - 10)
    }
  }

  test('a card stays on its paper, and its labels do not touch', async () => {
    const student = { ...elan.student, first_name: long, last_name: long, student_number: long }
    const school = { ...frame.school, name: `${long} ${long}`, address: long }
    const own = {
      student,
      entries: manyEntries(18).map((entry) => ({ ...entry, subject: long })),
      conduct: long,
      class_teacher_remark: long,
    }
    onPaper(wordsOfPdf(await drawn(ofTerm(language, own, { school, class_teacher: long, class_name: long }))), 40)
    const { words } = wordsOfPdf(await drawn(ofTerm(language, { entries: manyEntries(12) })))
    const figures = lineOf({ width: 0, height: 0, words }, language === 'fr' ? '83,75' : '83.75')
    for (const [at, word] of figures.entries()) if (at > 0) expect(word.right).toBeLessThanOrEqual((figures[at - 1]?.left ?? 0) + 0.5)
  })

  test('a broadsheet stays on its paper, and its heads do not touch', async () => {
    const input = sheet(language)
    const pupils = input.pupils.map((own) => ({ ...own, last_name: long, first_name: long }))
    onPaper(wordsOfPdf(await broadsheetPdf({ ...input, pupils, class_name: long, class_teacher: long })), 20)
    const found = wordsOfPdf(await broadsheetPdf(input))
    const heads = lineOf(found, 'Mathematics')
    expect(heads.length).toBeGreaterThanOrEqual(12)
    for (const [at, head] of heads.entries())
      if (at > 0) expect(head.right, head.text).toBeLessThanOrEqual((heads[at - 1]?.left ?? 0) + 0.5)
  })
})
