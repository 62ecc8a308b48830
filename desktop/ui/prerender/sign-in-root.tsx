import type { Profile } from '@markbook/shared/contract/auth'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode, useEffect } from 'react'
import { queryClient } from '../api/queries.ts'
import { SignInContent } from '../pages/sign-in/sign-in-form.tsx'

export type SignInRootProps = { isBack: boolean; onHydrated: () => void; onSignedIn: (profile: Profile) => void }

/** The sign-in page without a router. `prerender.tsx` and `hydrate.tsx` must render the same tree. */
export function SignInRoot({ isBack, onHydrated, onSignedIn }: SignInRootProps) {
  useEffect(onHydrated, [onHydrated])
  return (
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <SignInContent isBack={isBack} onSignedIn={onSignedIn} />
      </QueryClientProvider>
    </StrictMode>
  )
}
