import { getRouteApi, useRouter } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { queryClient } from '../../api/queries.ts'
import { me } from '../../api/session.ts'
import { signedIn } from '../../api/signed-out.ts'
import { Outside, Sheet } from './outside.tsx'
import { ownPath } from './own-path.ts'
import { SignInForm } from './sign-in-form.tsx'

const route = getRouteApi('/sign-in')

export function SignInPage() {
  const { t } = useTranslation('sign-in')
  const { next } = route.useSearch()
  const { history } = useRouter()
  return (
    <Outside title={t('title')} lead={ownPath(next) !== '/' ? t('leadBack') : t('lead')}>
      <Sheet>
        <SignInForm
          onSignedIn={(profile) => {
            queryClient.clear()
            queryClient.setQueryData(me().queryKey, profile)
            signedIn()
            history.replace(ownPath(next))
          }}
        />
      </Sheet>
    </Outside>
  )
}
