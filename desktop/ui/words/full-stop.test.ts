import i18next from 'i18next'
import { afterAll, expect, test } from 'vitest'
import { loadWords } from './words.ts'

afterAll(() => i18next.changeLanguage('en'))

test.each(['en', 'fr', 'ar'])('a school called «& Co.» ends a sentence in %s with one full stop', async (language) => {
  await loadWords(language)
  await i18next.changeLanguage(language)
  const said = i18next.t('sign-in:invitation.agreed', { school: 'Byrne & Co.' })
  expect(said).toMatch(/Byrne & Co\.\u2069?$/)
})
