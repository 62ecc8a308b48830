import i18next from 'i18next'
import { renderToString } from 'react-dom/server'
import { languages, readWords } from '../words/words.ts'
import { FirstPage } from './first-page.tsx'

export type Painted = { language: string; isBack: boolean; title: string; markup: string }

/** The sign-in page as markup, in each language, for who comes new and who comes back. Runs at the build. */
export async function paintAll(): Promise<Painted[]> {
  const all: Painted[] = []
  for (const { code: language } of languages) {
    await readWords(language)
    const title = `${i18next.t('sign-in:title')} – ${i18next.t('app:name')}`
    for (const isBack of [false, true]) {
      const markup = renderToString(<FirstPage isBack={isBack} onSignedIn={() => {}} />)
      all.push({ language, isBack, title, markup })
    }
  }
  return all
}
