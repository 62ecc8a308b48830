import { getRouteApi, useRouter } from '@tanstack/react-router'
import { wasSignedIn } from '../../api/last-seen.ts'
import { startSessionAs } from '../../api/session.ts'
import { localPath } from './local-path.ts'
import { SignInContent } from './sign-in-form.tsx'

const route = getRouteApi('/sign-in')

export function SignInPage() {
  const { next } = route.useSearch()
  const { history } = useRouter()
  return (
    <SignInContent
      isBack={localPath(next) !== '/' && wasSignedIn()}
      onSignedIn={(profile) => {
        startSessionAs(profile)
        history.replace(localPath(next))
      }}
    />
  )
}
