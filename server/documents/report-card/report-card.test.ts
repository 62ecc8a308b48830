import { createHash } from 'node:crypto'
import { standardMarkCodes } from '@markbook/shared/domain/mark-codes'
import fc from 'fast-check'
import { PDFDocument } from 'pdf-lib'
import { describe, expect, test } from 'vitest'
import { hasPoppler, pagesOfPdf, textOfPdf, wordsOfPdf } from '../drawing/pdf-text.fixtures.ts'
import { wordsOf } from '../words.ts'
import { elan, entries, frame, manyEntries, termLayout, yearEntries, yearLayout } from './report-card.fixtures.ts'
import type { ReportCard, ReportCardFrame, ReportCardsInput, TermEntry, YearEntry, YearLayout } from './report-card.input.ts'
import { openCardSetup, printRun, reportCard } from './report-card.ts'

const figureText = wordsOf('en').figure

const ofTerm = (own: Partial<ReportCard<TermEntry>> = {}, more: Partial<ReportCardFrame> = {}): ReportCardsInput => ({
  ...frame,
  ...more,
  layout: termLayout,
  cards: [{ ...elan, ...own }],
})
const ofYear = (
  kind: YearLayout['kind'],
  year: Partial<YearLayout> = {},
  own: readonly YearEntry[] = yearEntries(kind),
): ReportCardsInput => ({
  ...frame,
  term: 'trinity',
  layout: { ...yearLayout(kind), ...year },
  cards: [{ ...elan, entries: own }],
})
const drawn = async (input: ReportCardsInput) => reportCard(await openCardSetup(input), input.cards[0] as ReportCard)
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const pageCount = async (bytes: Uint8Array) => (await PDFDocument.load(bytes)).getPageCount()
const named = (first_name: string, last_name: string) => ofTerm({ student: { ...elan.student, first_name, last_name } })

describe('pages', () => {
  test.each([
    [0, 1],
    [1, 1],
    [12, 1],
    [18, 1],
    [40, 3],
  ])('a card of %i subjects has %i', async (subjects, pages) => {
    expect(await pageCount(await drawn(ofTerm({ entries: manyEntries(subjects) })))).toBe(pages)
  })

  test('A4 and Letter', async () => {
    const sizeOf = async (paper: 'a4' | 'letter') => (await PDFDocument.load(await drawn(ofTerm({}, { paper })))).getPage(0).getSize()
    expect(await sizeOf('a4')).toEqual({ width: 595.28, height: 841.89 })
    expect(await sizeOf('letter')).toEqual({ width: 612, height: 792 })
  })

  test('the same input gives the same bytes, another day gives others', async () => {
    const first = digest(await drawn(ofTerm()))
    expect(digest(await drawn(ofTerm()))).toBe(first)
    expect(digest(await drawn(ofTerm({}, { madeAt: frame.madeAt + 86_400_000 })))).not.toBe(first)
  })

  test.skipIf(!hasPoppler)('six terms with a school’s own words fit side by side, the longest cut', async () => {
    const terms = ['Semester 1', 'Été', 'A very long name of a term, of 40 signs.', 'Wwwwwwwwwwwwwwwwwwww', 'Quarter 5', 'Trinity']
    const own = yearEntries('weighted_continuous').map((entry) => ({ ...entry, term_composites: [100, 100, 100, 100, 100, 100] }))
    const bytes = await drawn(ofYear('weighted_continuous', { terms }, own))
    const { words } = wordsOfPdf(bytes)
    const line = words.find(({ text }) => text === 'Semester')?.top ?? 0
    const heads = words.filter(({ top, page }) => page === 1 && Math.abs(top - line) < 2).sort((a, b) => a.left - b.left)
    expect(heads.map(({ text }) => text).join(' ')).toMatch(/^Subject Semester Été A very Ww+ Quarter Trinity Exam Year/)
    for (const [at, { left }] of heads.entries()) if (at > 0) expect(left).toBeGreaterThan(heads[at - 1]?.right ?? 0)
  })

  test('a term by a school’s own word is printed without «term»', async () => {
    const file = await PDFDocument.load(await drawn(ofTerm({}, { term: 'été' })), { updateMetadata: false })
    expect(file.getTitle()).toBe('Élan Ó Briain, été, 2025/26')
  })

  test('title, school, language and tags are in the metadata', async () => {
    const bytes = await drawn(ofTerm())
    const file = await PDFDocument.load(bytes, { updateMetadata: false })
    expect(file.getTitle()).toBe('Élan Ó Briain, Michaelmas term 2025/26')
    expect(file.getAuthor()).toBe('St Brigid’s')
    expect(file.getCreationDate()).toEqual(new Date(frame.madeAt))
    expect(String(file.catalog.get(file.context.obj('/Lang') as never) ?? file.catalog.entries())).toContain('en-GB')
    expect(Buffer.from(bytes).toString('latin1')).toContain('/Marked true')
  })
})

describe.runIf(hasPoppler)('what a parent reads', () => {
  test('everything that the card contains', async () => {
    const text = textOfPdf(await drawn(ofTerm()))
    for (const told of [
      ...['St Brigid’s', '4 Mill Road, Kildare', 'MICHAELMAS TERM 2025/26', 'Élan Ó Briain', '3B', 'SB-001', '4 March 2011'],
      ...['81.66 %', 'A Excellent', '3rd of 28', '96.5 %', 'welcomed two new pupils', 'strong Michaelmas term', 'Page 1 of 1'],
      ...['Class teacher', 'Cathal Byrne', 'Head of school', 'Parent or guardian', 'made on 12 December 2025', 'the pass mark is 50'],
    ])
      expect(text).toContain(told)
    for (const { letter, remark } of frame.scale.bands) expect(text).toContain(`${letter} `) ?? expect(text).toContain(remark)
  })

  test('every subject with its teacher, figures, letter and remark', async () => {
    const text = textOfPdf(await drawn(ofTerm()))
    for (const entry of entries) {
      expect(text).toContain(entry.subject)
      expect(text).toContain(entry.teacher)
      for (const figure of [entry.coursework_average, entry.exam_average, entry.term_composite]) expect(text).toContain(figureText(figure))
      for (const word of entry.teacher_remark?.split(' ') ?? []) expect(text).toContain(word)
    }
  })

  test('a partial result is marked and explained, except where the missing part has weight 0', async () => {
    const one = entries.filter(({ exam_average }) => exam_average === null).slice(0, 1)
    const weightless = { ...termLayout, coursework_weight: 100, exam_weight: 0 }
    const partial = textOfPdf(await drawn(ofTerm({ entries: one })))
    expect(partial).toContain('95.00 †')
    expect(partial).toContain('81.66 % †')
    expect(textOfPdf(await drawn({ ...ofTerm({ entries: one }), layout: weightless } as ReportCardsInput))).not.toContain('†')
    expect(textOfPdf(await drawn(ofTerm({ entries: entries.slice(0, 3) })))).not.toContain('†')
    // The part that is there has no weight, so that there is no result to mark.
    const none = one.map((entry) => ({ ...entry, term_composite: null, letter_grade: null }))
    const examAlone = { ...termLayout, coursework_weight: 0, exam_weight: 100 }
    expect(textOfPdf(await drawn({ ...ofTerm({ entries: none }), layout: examAlone } as ReportCardsInput))).not.toContain('†')
  })

  test('a code is printed where there is no average, and is explained; a code beside an average is not printed', async () => {
    const [first, second] = entries.slice(0, 2) as [TermEntry, TermEntry]
    const coded = [
      { ...first, exam_average: null, exam_code: 'abs' },
      { ...second, exam_code: 'ex' },
    ]
    const text = textOfPdf(await drawn({ ...ofTerm({ entries: coded }), codes: standardMarkCodes } as ReportCardsInput))
    expect(text).toContain('abs: Absent.')
    expect(text.match(/\babs\b/g)).toHaveLength(2)
    expect(text).not.toContain('Excused')
  })

  test('a draft has DRAFT on every page; a published card does not', async () => {
    const bytes = await drawn(ofTerm({ status: 'draft', entries: manyEntries(40) }))
    const pages = pagesOfPdf(bytes)
    expect(pages[0]).toContain('DRAFT')
    // The letters of the diagonal word are separate words.
    for (const { words } of [wordsOfPdf(bytes)])
      for (const page of [1, 2, 3])
        expect(words.filter((word) => word.page === page && word.bottom - word.top > 60).length).toBeGreaterThan(0)
    expect(textOfPdf(await drawn(ofTerm({ status: 'sent_to_ministry' })))).not.toContain('DRAFT')
  })

  test('heads, pupil and page number are repeated on every further page of the table', async () => {
    const pages = pagesOfPdf(await drawn(ofTerm({ entries: manyEntries(40) })))
    for (const [at, page] of pages.entries()) {
      expect(page).toContain('Coursework')
      expect(page).toContain('Élan Ó Briain')
      expect(page).toContain(`Page ${at + 1} of 3`)
    }
  })

  test('absent facts are omitted', async () => {
    const student = { ...elan.student, student_number: null, date_of_birth: null }
    const none = { overall_average: null, position: null, attendance_percentage: null, conduct: null, class_teacher_remark: null }
    const text = textOfPdf(await drawn(ofTerm({ ...none, student, entries: [] }, { class_teacher: null })))
    expect(text).toContain('There are no results for this report.')
    for (const word of ['Student number', 'Date of birth', 'Conduct', 'null', 'undefined', 'NaN', 'remark'])
      expect(text).not.toContain(word)
  })

  test('attendance of the registers: percentage, and number of absent, excused and late sessions; a typed percentage takes precedence', async () => {
    const attendance = { sessions: 40, absent: 3, excused: 1, late: 2, percentage: 90 }
    const computed = textOfPdf(await drawn(ofTerm({ attendance, attendance_percentage: null })))
    expect(computed).toMatch(/90\s*%/)
    expect(computed).toContain('absent 3, excused 1, late 2 of 40 registers')
    const typed = textOfPdf(await drawn(ofTerm({ attendance, attendance_percentage: 96.5 })))
    expect(typed).toMatch(/96\.5\s*%/)
    expect(typed).not.toMatch(/\b90\s*%/)
  })

  test('the words of attendance are on one line; beside a long name each still has its figure', async () => {
    const attendance = { sessions: 120, absent: 6, excused: 37, late: 11, percentage: 90 }
    const topsOf = async (class_teacher: string) => {
      const { words } = wordsOfPdf(await drawn(ofTerm({ attendance }, { class_teacher })))
      return (part: string) => words.find(({ text }) => text.includes(part))?.top
    }
    const topOf = await topsOf('Niamh Byrne')
    expect(topOf('absent')).toBeDefined()
    expect(topOf('11')).toBe(topOf('absent'))
    const narrow = await topsOf('Wilhelmina Featherstonehaugh-Cholmondeley of Ballynahinch')
    expect(narrow('37,')).toBe(narrow('excused'))
    expect(narrow('absent')).not.toBe(narrow('late'))
  })

  test('facts that fit are aligned with the figures, in equal widths', async () => {
    const { words } = wordsOfPdf(await drawn(ofTerm()))
    const line = words.filter(({ top }) => top === words.find(({ text }) => text === 'SB-001')?.top)
    const lefts = ['3B', 'SB-001', '4', 'Cathal'].map((part) => line.find(({ text }) => text === part)?.left ?? Number.NaN)
    const steps = lefts.slice(1).map((left, at) => left - (lefts[at] ?? 0))
    for (const step of steps) expect(step).toBeCloseTo(steps[0] ?? 0, 1)
  })

  test('without a teacher’s remark the scale’s remark is printed; a letter outside the scale has none', async () => {
    const entry = { ...(entries[3] as TermEntry), teacher_remark: null }
    const words = async (letter_grade: string) =>
      textOfPdf(await drawn(ofTerm({ overall_average: null, entries: [{ ...entry, letter_grade }] })))
    expect((await words('A')).match(/Excellent/g)).toHaveLength(2)
    expect((await words('Exempt')).match(/Excellent/g)).toHaveLength(1)
    expect(await words('Absent')).toContain('Absent')
  })
})

describe.runIf(hasPoppler)('the year’s end', () => {
  const heads = async (kind: YearLayout['kind'], year: Partial<YearLayout> = {}) => textOfPdf(await drawn(ofYear(kind, year)))

  test('weighted_continuous: every term, the end-of-year exam and the year grade', async () => {
    const text = await heads('weighted_continuous')
    for (const head of ['YEAR-END REPORT', 'Michaelmas', 'Hilary', 'Trinity', 'Exam', 'Year grade', 'Year average'])
      expect(text).toContain(head)
    for (const { term_composites, year_grade } of yearEntries('weighted_continuous'))
      for (const figure of [...term_composites, year_grade]) expect(text).toContain(figureText(figure))
  })

  test('weighted_cumulative: coursework on its weight and the total, no terms', async () => {
    const text = await heads('weighted_cumulative')
    for (const head of ['Coursework', 'of 40', 'Total', 'of 100']) expect(text).toContain(head)
    for (const absent of ['Hilary', 'Exam ', '†']) expect(text).not.toContain(absent)
    expect(await heads('weighted_cumulative', { coursework_weight: null, exam_weight: null })).not.toContain('of 40')
  })

  test.each([
    ['weighted_cumulative', 1],
    ['weighted_continuous', 2],
    ['continuous_cumulative', 1],
  ] as const)('%s: a year grade is marked where a term of it is partial, and so is the term', async (kind, marks) => {
    const one = yearEntries(kind).filter(({ year_grade, end_of_year_exam }) => year_grade !== null && end_of_year_exam !== null)
    const marked = async (partial_terms: readonly boolean[]) => {
      const text = textOfPdf(
        await drawn(
          ofYear(
            kind,
            {},
            one.slice(0, 1).map((entry) => ({ ...entry, partial_terms })),
          ),
        ),
      )
      return text.match(/\d †/g)?.length ?? 0
    }
    expect(await marked([false, false, false])).toBe(0)
    expect(await marked([false, true, false])).toBe(marks)
  })

  test('continuous_cumulative: coursework and exam on their weights and their sum; a missing part is marked', async () => {
    const text = await heads('continuous_cumulative')
    for (const head of ['of 40', 'of 60', 'Total', '†']) expect(text).toContain(head)
    expect(text).not.toContain('Hilary')
  })
})

describe.runIf(hasPoppler)('names and words of any length', () => {
  test.each([
    ['Ngọc Ánh', 'Nguyễn'],
    ['Łukasz', 'Wójcik'],
    ['Þóra', 'Guðmundsdóttir'],
    ['Şeyma', 'Çelik-İnönü'],
    ['Jadranka', 'Đorđević'],
    ['Ìyá', 'Adébáyọ̀'],
    ['Elpída', 'Παπαδοπούλου'],
    ['Zhanna', 'Иванова'],
  ])('%s %s', async (first, last) => {
    expect(textOfPdf(await drawn(named(first, last))).normalize('NFC')).toContain(`${first} ${last}`)
  })

  test('Arabic names, subjects and remarks are extracted as written, on one page, with the text beside them', async () => {
    const teacher_remark = 'طالب مجتهد في مادة Mathematics'
    const [first, ...others] = entries
    const own = [{ ...(first as TermEntry), subject: 'الرياضيات', teacher: 'محمد علي', teacher_remark }, ...others]
    const school = { ...frame.school, name: 'مدرسة النور', address: 'شارع الملك 12' }
    const input = ofTerm(
      { entries: own, conduct: 'جيد', student: { ...elan.student, first_name: 'أحمد', last_name: 'حسن' } },
      { school, class_name: '٣ ب', class_teacher: 'مريم نجيب' },
    )
    const pages = pagesOfPdf(await drawn(input))
    expect(pages).toHaveLength(1)
    // Poppler keeps text of both directions in visual order where most of a page is Latin.
    for (const text of ['أحمد حسن', 'الرياضيات', 'محمد علي', 'طالب مجتهد في مادة', 'Mathematics', 'جيد', 'مدرسة النور', 'مريم نجيب'])
      expect(pages[0]).toContain(text)
    expect(pages[0]).toContain('045 555 0142 · office@stbrigids.example')
  })

  test('combining accents are printed like the letters that have them', async () => {
    expect(digest(await drawn(named('E\u0301lan', 'O\u0301 Briain')))).toBe(digest(await drawn(named('Élan', 'Ó Briain'))))
  })

  test('no text leaves the paper, touches the foot, or loses a letter', async () => {
    const word = fc.string({ unit: fc.constantFrom(...'aàćđéğhıłñọşßüýžWМ'), minLength: 1, maxLength: 90 })
    const text = (words: number) => fc.array(word, { minLength: 1, maxLength: words }).map((list) => list.join(' ').slice(0, 1_900))
    const entry = fc.record({ subject: text(4), teacher: text(3), teacher_remark: text(60) })
    const card = fc.record({
      first_name: text(3),
      last_name: text(3),
      remark: text(80),
      list: fc.array(entry, { maxLength: 8 }),
      name: text(8),
    })
    await fc.assert(
      fc.asyncProperty(card, async ({ first_name, last_name, remark, list, name }) => {
        const own = list.map((texts) => ({ ...(entries[0] as TermEntry), ...texts, letter_grade: 'Exempted' }))
        const student = { ...elan.student, first_name, last_name }
        const bytes = await drawn(ofTerm({ student, class_teacher_remark: remark, entries: own }, { school: { ...frame.school, name } }))
        const { width, words } = wordsOfPdf(bytes)
        for (const { left, right, bottom } of words) {
          expect(left).toBeGreaterThan(40)
          expect(right).toBeLessThan(width - 40)
          expect(bottom).toBeLessThan(830)
        }
        const letters = textOfPdf(bytes).replace(/\s/g, '')
        for (const { teacher_remark } of own)
          for (const one of teacher_remark.split(' ')) expect(letters.length).toBeGreaterThan(one.length)
      }),
      { numRuns: 12 },
    )
  })
})

describe('a class in one file', () => {
  const input = (counts: readonly number[]): ReportCardsInput => ({
    ...frame,
    layout: termLayout,
    cards: counts.map((count, at) => ({ ...elan, id: String(at), entries: manyEntries(count) })),
  })

  test('all cards in order, with progress after each', async () => {
    const seen: string[] = []
    const bytes = await printRun(await openCardSetup(input([12, 40, 1])), {
      onProgress: (done, total) => void seen.push(`${done}/${total}`),
    })
    expect(await pageCount(bytes)).toBe(5)
    expect(seen).toEqual(['1/3', '2/3', '3/3'])
  })

  test('for two-sided printers no card begins on the back of another', async () => {
    expect(await pageCount(await printRun(await openCardSetup(input([12, 40, 1])), { twoSided: true }))).toBe(7)
  })

  test('a class without cards is an empty page', async () => {
    expect(await pageCount(await printRun(await openCardSetup(input([]))))).toBe(1)
  })
})
