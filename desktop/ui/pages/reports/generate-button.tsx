import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { booksAsked, type OfBooks } from './use-books.ts'

/** Makes the books, or brings them up to date; says before what that does and what it leaves alone. */
export function GenerateButton({ of, count }: { of: OfBooks; count: number }) {
  const { t } = useTranslation('reports')
  const { tell } = useToasts()
  const [isAsking, setAsking] = useState(false)
  const generate = useSave('reports', 'generate')
  const confirm = async () => {
    const { generated, skipped_locked: skipped } = await generate.mutateAsync({ body: booksAsked(of).query })
    tell(
      [t(count === 0 ? 'generate.made' : 'generate.done', { count: generated }), skipped > 0 && t('generate.skipped', { count: skipped })]
        .filter(Boolean)
        .join(' '),
    )
  }
  const word = count === 0 ? 'first' : 'again'
  return (
    <>
      <Button look={count === 0 ? 'primary' : 'plain'} onClick={() => setAsking(true)}>
        {t(`generate.${word}`)}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={t(`generate.${word}`)}
          text={t(`generate.${word}Text`)}
          action={t(`generate.${word}`)}
          danger={false}
          onConfirm={confirm}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}
