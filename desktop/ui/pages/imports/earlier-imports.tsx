import type { PastImport } from '@markbook/shared/contract/imports'
import { fullName } from '@markbook/shared/domain/full-name'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { DialogButton } from '../../components/dialog.tsx'
import layout from '../../components/layout.module.css'
import { moment } from '../../words/format.ts'
import { useCounts } from './counts.ts'
import { UndoImport } from './undo-import.tsx'

/** The newest ones are enough. */
const MAX_SHOWN = 20

type Props = { isEarlier: (past: PastImport) => boolean; onDone: () => Promise<unknown> }

/** The earlier imports of this kind and place that the server still has, each with a button to undo it. */
export function EarlierImports({ isEarlier, onDone }: Props) {
  const { t } = useTranslation('app')
  const countsOf = useCounts()
  const past = useQuery(ask('imports', 'list')).data?.filter(isEarlier) ?? []
  if (past.length === 0) return null
  return (
    <details>
      <summary>{t('import.earlier', { count: past.length })}</summary>
      <ul className={layout['ruled']}>
        {past.slice(0, MAX_SHOWN).map(({ id, at, file, actor, undone_at, created, updated }) => (
          <li key={id} className={layout['split']}>
            <div>
              {file}
              <div className={layout['note']}>
                {[moment(at), fullName(actor ?? {})].filter(Boolean).join(', ')}. {countsOf({ created, updated, unchanged: 0, errors: 0 })}{' '}
                {undone_at !== null && t('import.wasUndone', { at: moment(undone_at) })}
              </div>
            </div>
            {undone_at === null && (
              <DialogButton
                size="small"
                aria-label={t('import.undoOf', { file, at: moment(at) })}
                dialog={<UndoImport id={id} onUndone={onDone} />}
              >
                {t('import.undo')}
              </DialogButton>
            )}
          </li>
        ))}
      </ul>
    </details>
  )
}
