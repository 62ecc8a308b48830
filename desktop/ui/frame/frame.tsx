import { Outlet, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useProfile } from '../api/session.ts'
import { signedIn, useSignedOut } from '../api/signed-out.ts'
import { Button } from '../components/button.tsx'
import { ToastsOfPage } from '../components/toasts.tsx'
import { AccountMenu } from './account-menu.tsx'
import styles from './frame.module.css'
import { Navigation } from './navigation.tsx'
import { useFreshSchool } from './own-school.ts'
import { SyncLine } from './sync-line.tsx'
import { TermChoice } from './term-choice.tsx'

const SignInAgain = lazy(() => import('../pages/sign-in/sign-in-again.tsx').then(({ SignInAgain: page }) => ({ default: page })))

/** Around every page of the school: where to go, which term, how the marks travel, who is signed in. */
export function Frame() {
  const { t } = useTranslation('app')
  const { school } = useProfile()
  const isOut = useSignedOut()
  useFreshSchool()
  const [isOpen, setOpen] = useState(false)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  useEffect(() => {
    if (path) setOpen(false)
  }, [path])
  const main = useFocusOnArrival()
  return (
    <div className={styles['frame']}>
      <a href="#page" className={styles['skip']}>
        {t('skip')}
      </a>
      <Navigation isOpen={isOpen} />
      <ToastsOfPage path={path} />
      <header className={styles['top']}>
        <Button
          className={styles['menuButton'] ?? ''}
          size="small"
          aria-expanded={isOpen}
          aria-label={t(isOpen ? 'navigation.close' : 'navigation.open')}
          onClick={() => setOpen(!isOpen)}
        >
          ☰
        </Button>
        <span className={styles['school']}>{school?.name}</span>
        <TermChoice />
        <SyncLine />
        <AccountMenu />
      </header>
      <main ref={main} id="page" tabIndex={-1} className={styles['main']}>
        <Outlet />
      </main>
      <Suspense fallback={null}>{isOut && <SignInAgain onClose={signedIn} />}</Suspense>
    </div>
  )
}

/** Where the link that led here has gone with its page, the keyboard goes on in the new page and not at the top of the window. */
function useFocusOnArrival() {
  const main = useRef<HTMLElement>(null)
  const arrived = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  useEffect(() => {
    if (arrived && document.activeElement === document.body) main.current?.focus({ preventScroll: true })
  }, [arrived])
  return main
}
