import { describe, expect, test } from 'vitest'
import { reminderMessage } from './reminder.ts'

const of = { class: { id: '3B', name: '3B' }, people: [], of: 6 }
const missing = [
  { kind: 'assessment' as const, ...of, subject: { id: 'EN', name: 'English' } },
  { kind: 'marks' as const, ...of, subject: { id: 'MA', name: 'Maths' }, count: 1 },
  ...(['books', 'outdated', 'remarks', 'sent_back'] as const).flatMap((kind) => [
    { kind, ...of, count: 1 },
    { kind, ...of, count: 2 },
  ]),
]
const text = (language: string | undefined, more = missing, period = { term: 'michaelmas', year: '2025/26', isTerm: true }) =>
  reminderMessage({
    language,
    school: 'St Brigid’s',
    by: { first_name: 'Ngozi', last_name: 'Okafor' },
    period,
    missing: more,
    site: null,
  }).text
const linesOf = (message: string) => message.split('\n').filter((line) => line.startsWith('- '))

describe('the mail that reminds', () => {
  test('in English, also where the language is not known', () => {
    expect(text('en')).toContain('Ngozi Okafor reminds you of what is still missing\nfor Michaelmas term 2025/26 at St Brigid’s:')
    expect(linesOf(text('en'))).toEqual([
      '- 3B, English: no assessment yet',
      '- 3B, Maths: 1 of 6 marks is missing',
      '- 3B: 1 of 6 report books is not made',
      '- 3B: 2 of 6 report books are not made',
      '- 3B: 1 of 6 report books is older than its marks',
      '- 3B: 2 of 6 report books are older than their marks',
      '- 3B: 1 of 6 report books has no remark of the class teacher',
      '- 3B: 2 of 6 report books have no remark of the class teacher',
      '- 3B: 1 of 6 report books was sent back and not changed since',
      '- 3B: 2 of 6 report books were sent back and not changed since',
    ])
    for (const unknown of ['de', '__', undefined]) expect(text(unknown)).toBe(text('en'))
  })

  test('in French', () => {
    expect(text('fr')).toContain('Ngozi Okafor vous rappelle ce qui manque encore\npour le trimestre Michaelmas 2025/26, St Brigid’s :')
    expect(linesOf(text('fr'))).toEqual([
      '- 3B, English : pas encore d’évaluation',
      '- 3B, Maths : 1 note sur 6 manque',
      '- 3B : 1 bulletin sur 6 n’est pas fait',
      '- 3B : 2 bulletins sur 6 ne sont pas faits',
      '- 3B : 1 bulletin sur 6 est plus ancien que ses notes',
      '- 3B : 2 bulletins sur 6 sont plus anciens que leurs notes',
      '- 3B : 1 bulletin sur 6 n’a pas d’appréciation du professeur principal',
      '- 3B : 2 bulletins sur 6 n’ont pas d’appréciation du professeur principal',
      '- 3B : 1 bulletin sur 6 a été renvoyé et n’a pas été modifié depuis',
      '- 3B : 2 bulletins sur 6 ont été renvoyés et n’ont pas été modifiés depuis',
    ])
  })

  test('in Arabic a line for each of them too, with its counts', () => {
    const lines = linesOf(text('ar'))
    expect(new Set(lines.map((line) => line.replace(/[12] من/, ''))).size).toBe(6)
    expect(lines.filter((line) => line.endsWith('من 6'))).toHaveLength(9)
  })

  test('a school’s own name of a term does not run into the year, and a year is a year', () => {
    const opening = (language: string, term: string, isTerm: boolean) =>
      text(language, missing, { term, year: '2025/26', isTerm }).split('\n')[1]
    expect(opening('en', 'Semester 1', true)).toBe('for Semester 1, 2025/26 at St Brigid’s:')
    expect(opening('fr', 'Semestre 1', true)).toBe('pour Semestre 1, 2025/26, St Brigid’s :')
    expect(opening('ar', 'الفصل 1', true)).toBe('في الفصل 1، 2025/26، St Brigid’s:')
    expect(opening('ar', 'hilary', true)).toBe('في فصل هيلاري 2025/26، St Brigid’s:')
    expect(opening('en', 'hilary', false)).toBe('for the year 2025/26 at St Brigid’s:')
  })

  test('names no more lines than its limit, and how many more there are', () => {
    const many = Array.from({ length: 43 }, () => ({ kind: 'books' as const, ...of, count: 2 }))
    expect(linesOf(text('en', many as never)).at(-1)).toBe('- and 3 more')
    expect(linesOf(text('fr', many as never)).at(-1)).toBe('- et 3 de plus')
  })
})
