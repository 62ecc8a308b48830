import { HistoryEntity, history, historyFailures } from '@markbook/shared/contract/history'
import { common, Failure } from '@markbook/shared/failures'
import { textToChanges } from '@markbook/shared/tables/changes'
import { type Handlers, on, onGuard } from '../../http/handler.ts'
import { peopleAwaited } from '../../replication/scope/consent.ts'
import { personalDataSeenBy, seenValues } from '../../replication/scope/personal-data.ts'
import { nodeNames } from '../replication/replication.queries.ts'
import { readablePast } from './history.policy.ts'
import { entryById } from './history.queries.ts'
import type { EntryOf } from './undo.ts'
import { undoers } from './undoers.ts'

/** Turns a failure of the endpoint into the refusal to undo, with the failed rule as its reason. */
const toUndoFailure = (error: unknown): never => {
  const passes = ['history', 'reports'].some((prefix) => error instanceof Failure && error.code.startsWith(`${prefix}.`))
  if (!(error instanceof Failure) || passes || (error.status !== 400 && error.status !== 409)) throw error
  throw historyFailures.cannotUndo({ message: error.message, ...(error.issues && { issues: error.issues }) })
}

export const historyHandlers: Handlers<typeof history> = {
  // As the service: people who have left the school are still named in its history, but row-level security hides them from staff.
  list: onGuard(
    history.list,
    async (context, { query }) => {
      const { entries } = await readablePast(context, query.entity, query.id)
      const { store, config } = context.services
      const names = await nodeNames(context.tx, { id: store.nodeId, name: config.nodeName })
      const actors = [...new Set(entries.flatMap(({ actor_id }) => actor_id ?? []))]
      const awaited = await peopleAwaited(context.tx, context.caller.school_id, actors)
      const named = (id: string, name: string | null) => (awaited.has(id) ? null : name)
      const sees = await personalDataSeenBy(context)
      return entries.map(({ actor_id: id, first_name, last_name, node_id, ...entry }) => ({
        ...entry,
        changes: seenValues(sees, entry.entity, entry.row_id, entry.changes),
        node_name: names.get(node_id) ?? null,
        actor: id === null ? null : { id, first_name: named(id, first_name), last_name: named(id, last_name) },
        node: node_id,
      }))
    },
    'system',
  ),

  undo: on(history.undo, {
    load: async (context, { params }) => {
      const [entry] = await entryById(context.tx, { school: context.caller.school_id, id: params.id })
      const entity = HistoryEntity.safeParse(entry?.entity)
      if (!entry || !entity.success) throw common.notFound()
      const { isLive } = await readablePast(context, entity.data, entry.row_id)
      // No honest entry says who made a row; a forged one would name somebody else.
      const { created_by: _, ...changes } = entry.changes
      const known: EntryOf = { ...entry, entity: entity.data, changes }
      const undoer = undoers[entity.data]
      // A deleted row can only be restored; for any other entry, the deletion is a later change.
      if (!undoer || isLive === (entry.action === 'delete')) return { entry: known, undoer, isChanged: undoer !== undefined, loaded: null }
      return { entry: known, undoer, isChanged: false, loaded: await undoer.load(context, known) }
    },
    run: async (context, _input, { entry, undoer, isChanged, loaded }) => {
      if (!undoer) throw historyFailures.cannotUndo()
      if (isChanged) throw historyFailures.changedSince()
      await undoer.write(context, entry, loaded).catch(toUndoFailure)
      const written = context.tx.entryOf(entry.entity, entry.row_id)
      if (!written) throw historyFailures.cannotUndo()
      const { user_id: id, first_name, last_name } = context.caller
      const actor = { id, first_name, last_name }
      const here = { node: written.node_id, node_name: context.services.config.nodeName }
      const sees = await personalDataSeenBy(context)
      const changes = seenValues(sees, entry.entity, entry.row_id, textToChanges(written.changes))
      return { ...written, action: written.action as 'update', actor, ...here, changes }
    },
  }),
}
