import type { BinEntity } from '@markbook/shared/contract/bin'
import i18next from 'i18next'
import { client } from '../../api/client.ts'
import { queryClient, save } from '../../api/queries.ts'
import { isAdmin, me } from '../../api/session.ts'
import { tell, tellFailure } from '../../components/toasts.tsx'

const CONCERNED = ['assessments', 'grades', 'classes', 'students', 'subjects', 'terms', 'reports'] as const

/** Brings back what is in the bin under this id, and says so. `name`: what it is called. */
export async function restore(id: string, name: string): Promise<void> {
  const { left_out } = await save('bin', 'restore', { params: { id } }, CONCERNED)
  tell(left_out > 0 ? i18next.t('bin:restoredWithout', { name, count: left_out }) : i18next.t('bin:restored', { name }))
}

/** Says that a row was deleted, with «Undo» where this person may bring it back: an administrator, and whoever deleted an assessment. */
export function tellDeleted(said: string, entity: BinEntity, { id: rowId, name }: { id: string; name: string }): void {
  const profile = queryClient.getQueryData(me().queryKey)
  const mayRestore = entity === 'assessment' || (profile && isAdmin(profile))
  tell(
    said,
    mayRestore ? { label: i18next.t('app:action.undo'), onPress: () => void undoDeletion(rowId, name).catch(tellFailure) } : undefined,
  )
}

async function undoDeletion(rowId: string, name: string): Promise<void> {
  const items = await client.bin.list()
  const newest = items.find(({ row_id }) => row_id === rowId)
  if (newest) await restore(newest.id, name)
  else tell(i18next.t('bin:gone', { name }))
}
