import type { Profile } from '@markbook/shared/contract/auth'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { queryClient } from '../api/queries.ts'
import { SignInSheet } from '../pages/sign-in/sign-in-sheet.tsx'
import { keptLanguage } from '../words/kept-language.ts'
import { chooseLanguage } from '../words/words.ts'

export type FirstPageProps = { isBack: boolean; onSignedIn: (profile: Profile) => void }

/** The sign-in page, painted at the build (`paint.tsx`) and taken over in the browser (`take-over.tsx`): both must be the same tree. */
export function FirstPage(props: FirstPageProps) {
  const { i18n } = useTranslation()
  useEffect(() => {
    // Chosen where the server cannot see it, or before the app stood.
    const kept = keptLanguage()
    if (kept && kept !== i18n.language) void chooseLanguage(kept)
  }, [i18n])
  return (
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <SignInSheet {...props} />
      </QueryClientProvider>
    </StrictMode>
  )
}
