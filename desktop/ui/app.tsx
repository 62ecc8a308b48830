import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/queries.ts'
import { router } from './routes.tsx'
import { initWords } from './words/words.ts'

/** The app at the address of this window. `insteadOf` takes away what stands in its place, which is shown until its first page is there. */
export async function openApp(place: HTMLElement, insteadOf?: () => void): Promise<void> {
  await initWords()
  if (insteadOf) {
    await router.load()
    insteadOf()
  }
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  )
}
