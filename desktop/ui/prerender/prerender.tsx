import i18next from 'i18next'
import { renderToString } from 'react-dom/server'
import { languages, loadWords } from '../words/words.ts'
import { SignInRoot } from './sign-in-root.tsx'

export type PrerenderedPage = { language: string; isBack: boolean; title: string; markup: string }

/** Renders the sign-in page at build time: in each language, for a new visit and for a return to a page (`isBack`). */
export async function prerenderSignIn(): Promise<PrerenderedPage[]> {
  const pages: PrerenderedPage[] = []
  for (const { code: language } of languages) {
    await loadWords(language)
    const title = `${i18next.t('sign-in:title')} – ${i18next.t('app:name')}`
    for (const isBack of [false, true]) {
      const markup = renderToString(<SignInRoot isBack={isBack} onHydrated={() => {}} onSignedIn={() => {}} />)
      // React puts a preload of the icon first; that early it would delay the page.
      pages.push({ language, isBack, title, markup: markup.replace(/^<link [^>]*>/, '') })
    }
  }
  return pages
}
