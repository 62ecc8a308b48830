import { BinEntity, bin, binFailures } from '@markbook/shared/contract/bin'
import { common } from '@markbook/shared/failures'
import { type Handlers, on, onGuard } from '../../http/handler.ts'
import { peopleAwaited } from '../../replication/scope/consent.ts'
import { knownRows } from '../../store/replica/states.ts'
import { demandMayWrite } from '../assessments/assessments.policy.ts'
import type { PolicyContext } from '../policy.ts'
import { binOf, figuresOf, type InBin, isDeletion, nameIn, noFigures, ownersOf, restorableUntil, transactionOf } from './bin.policy.ts'
import { deletionById } from './bin.queries.ts'
import { restore } from './restore.ts'

type Deletion = Pick<InBin, 'entity' | 'actor_id' | 'row_id'>

/** Administrators restore everything; a teacher restores assessments that they deleted (decisions §8). */
const isFor = ({ role, user_id }: PolicyContext['caller'], { entity, actor_id }: Deletion): boolean =>
  role === 'admin' || (entity === 'assessment' && actor_id === user_id)

/** Throws 403 where the caller has no right to the subject any more. */
async function demandMayRestore(context: PolicyContext, deletion: Deletion): Promise<void> {
  if (!isFor(context.caller, deletion)) throw common.adminOnly()
  if (context.caller.role === 'admin') return
  const { values } =
    (await knownRows(context.tx, 'assessment', context.caller.school_id, [deletion.row_id])).get(deletion.row_id)?.state ?? {}
  const idOf = (column: string) => (values?.[column] == null ? null : String(values[column]))
  await demandMayWrite(context, {
    term_id: String(values?.['term_id']),
    subject_id: String(values?.['subject_id']),
    student_group_id: idOf('student_group_id'),
    teaching_set_id: idOf('teaching_set_id'),
  })
}

export const binHandlers: Handlers<typeof bin> = {
  // As the service: people who have left the school are still named in its history.
  list: onGuard(
    bin.list,
    async ({ tx, caller }) => {
      const items = (await binOf(tx, caller.school_id)).filter((item) => isFor(caller, item))
      const belongsTo = await ownersOf(tx, caller.school_id, items)
      const figures = await figuresOf(tx, caller.school_id)
      const actors = [...new Set(items.flatMap(({ actor_id }) => actor_id ?? []))]
      const awaited = await peopleAwaited(tx, caller.school_id, actors)
      const named = (id: string, name: string | null) => (awaited.has(id) ? null : name)
      return items.map((item) => {
        const { actor_id: id, first_name, last_name } = item
        const own = figures.get(transactionOf(item)) ?? noFigures
        return {
          id: item.id,
          entity: item.entity,
          row_id: item.row_id,
          name: nameIn(item.changes),
          belongs_to: belongsTo(item),
          deleted_at: item.at,
          actor: id === null ? null : { id, first_name: named(id, first_name), last_name: named(id, last_name) },
          restorable_until: restorableUntil(item),
          ...own,
          assessments: item.entity === 'assessment' ? 0 : own.assessments,
        }
      })
    },
    'system',
  ),

  restore: on(bin.restore, {
    load: async (context, { params }) => {
      const [entry] = await deletionById(context.tx, { school: context.caller.school_id, id: params.id })
      const entity = BinEntity.safeParse(entry?.entity)
      if (!entry || !entity.success || !isDeletion(entry)) throw common.notFound()
      await demandMayRestore(context, { ...entry, entity: entity.data })
      return entry.id
    },
    run: async (context, _input, id) => {
      const item = (await binOf(context.tx, context.caller.school_id)).find((each) => each.id === id)
      if (!item) throw binFailures.gone()
      const { restored, left_out } = await restore(context, item)
      const { entity, row_id } = item
      return { message: `${nameIn(item.changes)} was restored.`, entity, row_id, restored, left_out }
    },
  }),
}
