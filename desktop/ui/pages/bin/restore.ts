import type { BinEntity } from '@markbook/shared/contract/bin'
import i18next from 'i18next'
import { client } from '../../api/client.ts'
import { queryClient, save } from '../../api/queries.ts'
import { isAdmin, me } from '../../api/session.ts'
import { tell, tellFailure } from '../../components/toasts.tsx'
import { tellUndone } from '../../components/with-undo.ts'

const CONCERNED = ['assessments', 'grades', 'classes', 'students', 'subjects', 'terms', 'reports', 'teachingSets'] as const

const restored = (left: number, name: string): string =>
  left > 0 ? i18next.t('bin:restoredWithout', { name, count: left }) : i18next.t('bin:restored', { name })
const bringBack = (id: string) => save('bin', 'restore', { params: { id } }, CONCERNED)

/** Restores the item of the bin with this id, and shows a message with its `name`. */
export async function restore(id: string, name: string): Promise<void> {
  const { left_out } = await bringBack(id)
  tell(restored(left_out, name))
}

type Deleted = { id: string; name: string /** Deletes it once more. */; again: () => Promise<unknown> }

/**
 * Shows that a row was deleted, with «Undo» where this person may restore it: an administrator, or the person who deleted an assessment.
 * After that «Redo» deletes it again.
 */
export function tellDeleted(said: string, entity: BinEntity, row: Deleted): void {
  const profile = queryClient.getQueryData(me().queryKey)
  const mayRestore = entity === 'assessment' || (profile && isAdmin(profile))
  tell(
    said,
    mayRestore
      ? { label: i18next.t('app:action.undo'), onPress: () => void undoDeletion(said, entity, row).catch(tellFailure) }
      : undefined,
  )
}

async function undoDeletion(said: string, entity: BinEntity, row: Deleted): Promise<void> {
  const items = await client.bin.list()
  const newest = items.find(({ row_id }) => row_id === row.id)
  if (!newest) return tell(i18next.t('bin:gone', { name: row.name }))
  const { left_out } = await bringBack(newest.id)
  const redo = () => row.again().then(() => tellDeleted(said, entity, row), tellFailure)
  tellUndone(restored(left_out, row.name), () => void redo())
}
