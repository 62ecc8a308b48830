import * as scalars from '@markbook/shared/contract/scalars'
import i18next from 'i18next'
import { afterAll, beforeAll, expect, test } from 'vitest'
import english from './en/app.json' with { type: 'json' }
import { issueOf } from './failure.ts'
import french from './fr/app.json' with { type: 'json' }

beforeAll(async () => {
  await i18next.init({ lng: 'fr', resources: { en: { app: english }, fr: { app: french } } })
})
afterAll(() => i18next.changeLanguage('en'))

/** The sentence that a form shows for a value that the schema refuses. */
function said(schema: { safeParse(value: unknown): { error?: { issues: { message: string }[] } } }, value: unknown): string | undefined {
  const issues = (schema.safeParse(value).error?.issues ?? []).map(({ message }) => ({ path: 'field', message }))
  return issueOf({ issues }, 'field')
}

test('a faulty field has a sentence in the language of the page', () => {
  expect(said(scalars.Name, undefined)).toBe('Veuillez remplir ce champ.')
  expect(said(scalars.Name, ' ')).toBe('Veuillez écrire quelque chose de visible.')
  expect(said(scalars.Code, 'x'.repeat(500))).toMatch(/^\d+ caractères au plus\.$/)
  expect(said(scalars.Name, 'a\nb')).toBe('Veuillez l’écrire sur une seule ligne.')
  expect(said(scalars.Remark, 'a\u0007')).toMatch(/^Un signe/)
  expect(said(scalars.Email, 'not a mail')).toBe('Ceci n’est pas une adresse de courriel.')
  expect(said(scalars.decimal({ min: 0, max: 10, decimals: 0 }), 1.5)).toBe('Un nombre entier de 0 à 10.')
  expect(said(scalars.MaxScore, 0)).toMatch(/^Un nombre de 0,01 à /)
  expect(said(scalars.Day, '2026-02-31')).toBe('Ce jour n’existe pas dans le calendrier.')
  expect(said(scalars.MarkCodeName, '1')).toMatch(/^Une lettre/)
  const span = scalars.spanIssues({ startDate: '2026-09-01', endDate: '2026-08-01' })
  expect(issueOf({ issues: span }, 'endDate')).toBe('Le dernier jour doit suivre le premier.')
})

test('an unknown sentence of the server is shown unchanged', () => {
  expect(issueOf({ issues: [{ path: 'field', message: 'must be blue' }] }, 'field')).toBe('must be blue')
})
