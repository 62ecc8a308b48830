import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rollOverIssue, rollOverSentences } from './roll-over.issues.ts'

const words = join(import.meta.dirname, '../../../desktop/ui/words')
const placeholders = (sentence: string) => [...sentence.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name).sort()

test.each(['en', 'fr', 'ar'])('the app has a sentence in %s for every issue of a roll-over', (language) => {
  const said: Record<string, string> = JSON.parse(readFileSync(join(words, language, 'failures.json'), 'utf8'))
  for (const [code, sentence] of Object.entries(rollOverSentences)) {
    const own = said[`academic_years_roll_over_issues_${code}`]
    expect(own, code).toBeDefined()
    expect(placeholders(own ?? ''), code).toEqual(expect.arrayContaining(placeholders(sentence)))
  }
})

test('the sentence contains the values, and the app gets them separately', () => {
  expect(rollOverIssue('terms.0.name', 'term_taken', { term: 'hilary' }, { term: 'Hilary' })).toEqual({
    path: 'terms.0.name',
    message: 'This year already has a term called Hilary.',
    code: 'term_taken',
    values: { term: 'hilary' },
  })
})
