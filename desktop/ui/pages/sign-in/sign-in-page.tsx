import { getRouteApi, useRouter } from '@tanstack/react-router'
import { enterAs } from '../../api/session.ts'
import { ownPath } from './own-path.ts'
import { SignInSheet } from './sign-in-sheet.tsx'

const route = getRouteApi('/sign-in')

export function SignInPage() {
  const { next } = route.useSearch()
  const { history } = useRouter()
  return (
    <SignInSheet
      isBack={ownPath(next) !== '/'}
      onSignedIn={(profile) => {
        enterAs(profile)
        history.replace(ownPath(next))
      }}
    />
  )
}
