import { documentLanguages } from '@markbook/shared/domain/document-language'
import { defaultGradingScale } from '@markbook/shared/domain/letters'
import { standardMarkCodes } from '@markbook/shared/domain/mark-codes'
import { hasUnprintedLetters } from '@markbook/shared/domain/printed-letters'
import ar from '@markbook/shared/words/ar/documents.json' with { type: 'json' }
import en from '@markbook/shared/words/en/documents.json' with { type: 'json' }
import fr from '@markbook/shared/words/fr/documents.json' with { type: 'json' }
import { describe, expect, test } from 'vitest'
import { isRightToLeft, withoutControls } from './drawing/bidi.ts'
import { wordsOf } from './words.ts'

type Group = { [key: string]: string | Group }
const sentences = (group: Group): string[] =>
  Object.values(group).flatMap((value) => (typeof value === 'string' ? [value] : sentences(value)))
const [english, french, arabic] = [wordsOf('en'), wordsOf('fr'), wordsOf('ar')]

describe('figures and days', () => {
  test.each([
    [null, '–', '–', '–'],
    [81.66, '81.66', '81,66', '81.66'],
    [100, '100.00', '100,00', '100.00'],
    [1231.2, '1231.20', '1231,20', '1231.20'],
  ])('%s', (figure, ...told) => {
    expect([english, french, arabic].map((words) => words.figure(figure))).toEqual(told)
  })

  test('a weight has no more decimals than it needs', () => {
    expect([english, french, arabic].map(({ plain }) => plain(37.5))).toEqual(['37.5', '37,5', '37.5'])
    expect([english, french].map(({ plain }) => plain(40))).toEqual(['40', '40'])
    expect(french.percent(40)).toBe('40\u00a0%')
  })

  test('days with the names of months, in figures from 0 to 9', () => {
    expect([english, french, arabic].map(({ day }) => day('2011-03-01'))).toEqual(['1 March 2011', '1er mars 2011', '1 مارس 2011'])
    expect(french.day('2011-12-11T09:00:00.000Z')).toBe('11 décembre 2011')
  })

  test.each([
    ['Europe/Paris', '2026-10-24T22:30:00Z', '25 October 2026'],
    ['Europe/Paris', '2027-03-28T00:59:00Z', '28 March 2027'],
    ['Africa/Cairo', '2026-10-29T21:30:00Z', '29 October 2026'],
    ['America/Lima', '2026-12-01T00:30:00Z', '30 November 2026'],
    ['Asia/Tokyo', '2026-11-30T22:30:00Z', '1 December 2026'],
  ])('in %s a paper that is made at %s has the day of the school', (zone, at, printed) => {
    const before = process.env['TZ']
    process.env['TZ'] = zone
    try {
      expect(english.dayOf(Date.parse(at))).toBe(printed)
    } finally {
      if (before === undefined) delete process.env['TZ']
      else process.env['TZ'] = before
    }
  })
})

describe('sentences with numbers', () => {
  test('positions', () => {
    expect([1, 2, 3, 4, 11, 12, 13, 21, 22, 111].map(english.ordinal)).toEqual('1st 2nd 3rd 4th 11th 12th 13th 21st 22nd 111th'.split(' '))
    expect([1, 2, 3, 21].map(french.ordinal)).toEqual(['1er', '2e', '3e', '21e'])
    expect([1, 2, 21].map((place) => withoutControls(arabic.ordinal(place)))).toEqual(['1', '2', '21'])
  })

  test('registers, by the plural forms of the language', () => {
    expect([0, 1, 2].map((count) => english.counted('card.registers', count))).toEqual([
      'of 0 registers',
      'of 1 register',
      'of 2 registers',
    ])
    expect([0, 1, 2].map((count) => french.counted('card.registers', count))).toEqual(['sur 0 appel', 'sur 1 appel', 'sur 2 appels'])
    expect([0, 1, 2, 3, 11, 100].map((count) => withoutControls(arabic.counted('card.registers', count)))).toEqual([
      'من 0 سجل',
      'من سجل واحد',
      'من سجلّين',
      'من 3 سجلات',
      'من 11 سجلًا',
      'من 100 سجل',
    ])
  })
})

describe('standard words', () => {
  test('are the stored ones in English', () => {
    expect(english.scale(defaultGradingScale)).toEqual(defaultGradingScale)
    expect(standardMarkCodes.map(english.codeName)).toEqual(standardMarkCodes.map(({ name }) => name))
  })

  test.each([french, arabic])('are in the language of the document', (words) => {
    for (const [at, { remark }] of words.scale(defaultGradingScale).bands.entries())
      if (remark !== 'Excellent') expect(remark).not.toBe(defaultGradingScale.bands[at]?.remark)
    expect(words.codeName({ code: 'late', name: 'Late' })).not.toBe('Late')
    expect(words.term('michaelmas')).not.toBe('michaelmas')
  })

  test('texts of the school stay: a remark, the name of a code, a term', () => {
    const bands = [{ letter: 'A', minimum: 80, remark: 'Well done' }]
    expect(french.scale({ passMark: 50, bands })).toEqual({ passMark: 50, bands })
    expect(french.codeName({ code: 'abs', name: 'Away' })).toBe('Away')
    expect(french.codeName({ code: 'ill', name: 'Late' })).toBe('Late')
    expect(french.term('Semester 1')).toBe('Semester 1')
    expect(french.period({ term: 'Semester 1', year: '2025/26' }, true)).toBe('Semester 1, 2025/26')
  })
})

test('a list of codes that ends in a full stop ends a sentence with one', () => {
  for (const words of [english, french]) expect(words.say('card.codes', { list: 'abs: Absent, co: Co.' })).toMatch(/Co\.$/)
})

describe('Arabic', () => {
  test.each([
    arabic.percent(40),
    arabic.say('range', { from: 0, to: 49.99 }),
    arabic.say('card.codeMeans', { code: 'abs', name: 'Away' }),
    arabic.joined(['St Brigid’s', arabic.say('madeOn', { day: arabic.day('2011-03-04') })]),
  ])('«%s» runs from right to left whatever it begins with', (sentence) => {
    expect(isRightToLeft(sentence)).toBe(true)
  })

  test('cells of a spreadsheet hold no marks of direction', () => {
    expect(wordsOf('ar', true).say('broadsheet.letterRow', { letter: 'A+' })).toBe('التقدير A+')
  })

  test('a name in a list has an Arabic comma', () => {
    expect(withoutControls(arabic.listed({ last_name: 'حسن', first_name: 'أحمد' }))).toBe('حسن، أحمد')
    expect(arabic.listed({ last_name: 'Byrne', first_name: 'Niamh' })).toBe('Byrne, Niamh')
    expect(english.listed({ last_name: 'حسن', first_name: 'أحمد' })).toBe('حسن, أحمد')
  })
})

test('the fonts have every letter of the catalogue', () => {
  expect([en, fr, ar].flatMap(sentences).filter(hasUnprintedLetters)).toEqual([])
  expect(documentLanguages).toHaveLength(3)
})
