import { may } from '@markbook/shared/domain/access'
import { common } from '@markbook/shared/failures'
import { PERSONAL, seesAllPersonalData } from '../../replication/scope/personal-data.ts'
import type { PolicyContext } from '../policy.ts'
import type { ShapeTable } from './shape-tables.ts'
import { classesOfTeacher } from './shapes.queries.ts'

/**
 * What a reader may see of a table: everything, or the rows of some classes; the columns in `hidden` are null in each row. `text` changes
 * with it.
 */
export type Scope = { text: string; classes: ReadonlySet<string> | null; hidden: ReadonlySet<string> }

const NONE: ReadonlySet<string> = new Set()

/** From the rights table and rows read now. Throws 403 where the caller may read nothing of the table in any class. */
export async function scopeOf(context: PolicyContext, { name, area, classColumn }: ShapeTable): Promise<Scope> {
  const { tx, caller } = context
  const facts = { role: caller.role, isActive: caller.is_active }
  if (name === 'student' && may(area, facts) && !(await seesAllPersonalData(context)))
    return { text: `all but ${PERSONAL.join(', ')}`, classes: null, hidden: new Set(PERSONAL) }
  if (may(area, facts)) return { text: 'all', classes: null, hidden: NONE }
  if (classColumn === null || !may(area, { ...facts, teachesClass: true, isClassTeacher: true })) throw common.forbidden()
  const assigned = await classesOfTeacher(tx, { school: caller.school_id, user: caller.user_id })
  const own = assigned.filter(({ class_teacher }) => may(area, { ...facts, teachesClass: true, isClassTeacher: class_teacher !== null }))
  const classes = new Set(own.map(({ id }) => id))
  return { text: [...classes].sort().join(' '), classes, hidden: NONE }
}
