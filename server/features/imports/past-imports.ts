import { toInstant } from '@markbook/shared/clock'
import { imports } from '@markbook/shared/contract/imports'
import { limits } from '@markbook/shared/limits'
import type { SchoolCaller } from '../../http/caller.ts'
import { onGuard } from '../../http/handler.ts'
import { peopleAwaited } from '../../replication/scope/consent.ts'
import { importNoteIn } from './import-record.ts'
import { importNotesSince } from './imports.queries.ts'

/** Administrators undo every import; a teacher undoes imports of marks that they made. */
export const mayUndo = (
  { role, user_id }: SchoolCaller,
  { actor_id, kind }: { actor_id: string | null; kind: 'students' | 'grades' },
): boolean => role === 'admin' || (kind === 'grades' && actor_id === user_id)

export const undoableUntil = ({ at }: { at: string }): string => toInstant(Date.parse(at) + limits.binRetentionMs)

// As the service: people who have left the school are still named in its history.
export const pastImports = onGuard(
  imports.list,
  async ({ tx, caller }) => {
    const school = caller.school_id
    const notes = await importNotesSince(tx, { school, since: toInstant(tx.nowMs - limits.binRetentionMs) })
    const undoneAt = new Map(notes.filter(({ action }) => action === 'delete').map(({ row_id, at }) => [row_id, at]))
    const made = notes
      .filter(({ action }) => action === 'create')
      .map((note) => ({ ...note, ...importNoteIn(note.changes) }))
      .filter((note) => mayUndo(caller, note))
    const awaited = await peopleAwaited(tx, school, [...new Set(made.flatMap(({ actor_id }) => actor_id ?? []))])
    const named = (id: string, name: string | null) => (awaited.has(id) ? null : name)
    return made.map(({ row_id, actor_id: id, first_name, last_name, ...note }) => ({
      ...note,
      id: row_id,
      actor: id === null ? null : { id, first_name: named(id, first_name), last_name: named(id, last_name) },
      undone_at: undoneAt.get(row_id) ?? null,
      undoable_until: undoableUntil(note),
    }))
  },
  'system',
)
