import type { ImportUndo } from '@markbook/shared/contract/imports'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useContext } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { refresh } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Closing } from '../../components/closing.ts'
import { CloseButton, Dialog } from '../../components/dialog.tsx'
import { Actions } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Answer, FailureNotice, Notice, Progress } from '../../components/page.tsx'
import { tell } from '../../components/toasts.tsx'

type Props = { id: string; onUndone: () => Promise<unknown> }

/** Shows what undoing an import would remove and keep, and then does it. */
export function UndoImport({ id, onUndone }: Props) {
  const { t } = useTranslation('app')
  const close = useContext(Closing)
  const params = { params: { id } }
  const plan = useQuery({
    queryKey: ['imports', 'undo', id],
    queryFn: () => client.imports.undo({ ...params, query: { dryRun: 'true' } }),
    // Read each time: others may have changed rows, which are kept in any case.
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })
  const undo = useMutation({
    mutationFn: async () => {
      const { removed, restored, kept } = await client.imports.undo(params)
      await Promise.all([refresh(['imports', 'history', 'bin', 'calculations']), onUndone()])
      tell([t('import.takenBack', { count: removed + restored }), kept > 0 && t('import.kept', { count: kept })].filter(Boolean).join(' '))
      close?.()
    },
  })
  const isAny = plan.data !== undefined && plan.data.removed + plan.data.restored > 0
  return (
    <Dialog title={t('import.undoTitle')} lead={t('import.undoLead')}>
      <Answer of={plan}>{(found) => <Plan found={found} />}</Answer>
      <FailureNotice failure={undo.error} />
      {undo.isPending && <Progress label={t('import.undoing')} done={0} total={0} />}
      <Actions>
        <CloseButton />
        <Button look="danger" disabled={!isAny} busy={undo.isPending} busyWord={t('import.undoing')} onClick={() => undo.mutate()}>
          {t('import.undo')}
        </Button>
      </Actions>
    </Dialog>
  )
}

function Plan({ found: { removed, restored, kept, rows } }: { found: ImportUndo }) {
  const { t } = useTranslation('app')
  return (
    <>
      <ul className={layout['bullets']}>
        {removed > 0 && <li>{t('import.undoRemoved', { count: removed })}</li>}
        {restored > 0 && <li>{t('import.undoRestored', { count: restored })}</li>}
        {removed + restored === 0 && <li>{t('import.undoNothing')}</li>}
      </ul>
      {kept > 0 && (
        <Notice tone="warn">
          <div>
            <p>{t('import.undoKept', { count: kept })}</p>
            <ul className={layout['bullets']}>
              {rows.map(({ row_id, name, why }) => (
                <li key={row_id}>{t('import.column', { column: name, message: t(`import.why.${why}`) })}</li>
              ))}
            </ul>
            {kept > rows.length && <p>{t('import.rest', { count: kept - rows.length })}</p>}
          </div>
        </Notice>
      )}
    </>
  )
}
