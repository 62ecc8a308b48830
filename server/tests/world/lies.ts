import { naturalId } from '@markbook/shared/ids'
import { SCHEMA_VERSION } from '@markbook/shared/tables/schema-version'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { conflictState } from '@markbook/sync/merge/conflict'
import type { RowState, Values } from '@markbook/sync/merge/state'
import type { Carried } from '@markbook/sync/protocol/page'
import { EXISTENCE, type Stamp } from '@markbook/sync/versions'
import { and, eq } from 'drizzle-orm'
import { type AnyRow, tableOrder } from '../../store/replica/links.ts'
import { knownRows, rowsWhere } from '../../store/replica/states.ts'
import { asSystem } from '../../store/tx.ts'
import type { Chance } from './chance.ts'
import { type Founded, founded } from './founding.ts'
import type { WorldNode } from './node.ts'

/** Every text of a lie begins so, and nothing that an honest person writes does: wherever it stands, a lie was believed. */
export const MARK_OF_LIES = 'Lie no. '

/** Whose key the adversary has, under which number the lies are written, and what there is to lie about: everything that the parent has. */
export type Pen = {
  parent: WorldNode
  school: Founded
  /** The laptop's person. */
  user: string
  node: string
  /** Every number under which a laptop of the person was enrolled: it answers for all of them. */
  own: ReadonlySet<string>
  counter: number
  now: number
  chance: Chance
  fresh(): number
  /** What the laptop itself sends in the same bundle. */
  busy: ReadonlySet<string>
}
/** What is pushed besides; `units`: of each row, by place, which must be refused, none where the row says nothing new. */
export type Lie = { rows: Carried[]; units: readonly (readonly string[])[]; isKept?: false }
type Teller = (pen: Pen) => Promise<Lie | null>

const LARGE = 1_000_000_000
const one = (table: Replicated, state: RowState, ...units: string[]): Lie => ({ rows: [{ table, state }], units: [units] })
const text = (pen: Pen) => `${MARK_OF_LIES}${pen.fresh()}`

const rowsOf = async ({ parent, school }: Pen, table: Replicated): Promise<AnyRow[]> =>
  (await parent.store.read(asSystem(), (tx) => rowsWhere(tx, table, school.id))).sort((a, b) => (a.id < b.id ? -1 : 1))

/** A row of the parent, as it knows it, that the laptop does not speak of in the same bundle. */
async function some(pen: Pen, table: Replicated, fits: (row: AnyRow) => boolean = () => true): Promise<RowState | null> {
  const rows = (await rowsOf(pen, table)).filter((row) => fits(row) && !pen.busy.has(row.id))
  if (rows.length === 0) return null
  const { id } = pen.chance.pick(rows)
  const known = await pen.parent.store.read(asSystem(), (tx) => knownRows(tx, table, pen.school.id, [id]))
  const state = known.get(id)?.state
  return state && state.alive.length > 0 ? state : null
}

type As = { node?: string; counter?: number; actor?: string | null }
/** The state after a write of a unit that has seen all that the parent has of the row. */
function written(pen: Pen, state: RowState, unit: string, values: Values, as: As = {}): RowState {
  const { node = pen.node, counter = pen.counter, actor = pen.user } = as
  const stamp: Stamp = [node, counter, Math.max(pen.now, (state.units[unit]?.[2] ?? 0) + 1), actor]
  const isGone = unit === EXISTENCE
  return {
    ...state,
    values: { ...state.values, ...values },
    units: { ...state.units, [unit]: stamp },
    vv: { ...state.vv, [node]: Math.max(counter, state.vv[node] ?? 0) },
    alive: isGone ? [] : [[node, counter]],
  }
}
/** A row that the parent does not have, made like one of its own. */
function made(pen: Pen, like: RowState, id: string, values: Values): RowState {
  const stamp: Stamp = [pen.node, pen.counter, pen.now, pen.user]
  const units = Object.fromEntries([EXISTENCE, ...Object.keys(like.units)].map((unit) => [unit, stamp]))
  return {
    ...like,
    id,
    values: { ...like.values, ...values, id },
    units,
    vv: { [pen.node]: pen.counter },
    alive: [[pen.node, pen.counter]],
  }
}

/** The person's place in the school as the parent has it now. */
async function placeOf(pen: Pen) {
  const place = (await rowsOf(pen, 'school_management')).find(({ user_id }) => user_id === pen.user)
  return { isAdmin: place?.['is_active'] === true && place['role'] === 'admin' }
}

/** In which classes the person may do anything with a mark: those that are theirs, and of which they teach somebody. */
async function classesOf(pen: Pen): Promise<(pupil: unknown) => boolean> {
  const own = new Set<unknown>()
  for (const table of ['class_teacher', 'teacher_group_assignment', 'teacher_subject_assignment'] as const)
    for (const row of await rowsOf(pen, table)) if (row['user_profile_id'] === pen.user) own.add(row['student_group_id'])
  const inSets = (await rowsOf(pen, 'teaching_set_teacher')).some((row) => row['user_profile_id'] === pen.user)
  const places = await rowsOf(pen, 'enrolment')
  return (pupil) => inSets || places.some((row) => row['student_id'] === pupil && own.has(row['student_group_id']))
}

async function otherPerson(pen: Pen): Promise<string> {
  const { admins, teachers } = pen.school
  return pen.chance.pick([...admins, ...teachers].filter((each) => each !== pen.user))
}

/** What a laptop's person may not do, each by its name; null where nothing of the kind is to be had at the moment. */
const forbidden = {
  'a mark of a class that is not theirs': async (pen) => {
    if ((await placeOf(pen)).isAdmin) return null
    const isTheirs = await classesOf(pen)
    const state = await some(pen, 'grade', (row) => !isTheirs(row['student_id']))
    return state && one('grade', written(pen, state, 'remarks', { remarks: text(pen) }), 'remarks')
  },
  'a book is published that is not theirs': async (pen) => {
    if ((await placeOf(pen)).isAdmin) return null
    const own = (await rowsOf(pen, 'class_teacher')).filter((row) => row['user_profile_id'] === pen.user)
    const isTheirs = (group: unknown) => own.some((row) => row['student_group_id'] === group)
    const state = await some(pen, 'report_book', (row) => row['status'] === 'draft' && !isTheirs(row['student_group_id']))
    return state && one('report_book', written(pen, state, 'status', { status: 'published' }), 'status')
  },
  'a book is sent without what was sent': async (pen) => {
    const state = await some(pen, 'report_book', (row) => row['status'] !== 'sent_to_ministry')
    return state && one('report_book', written(pen, state, 'status', { status: 'sent_to_ministry', sent_snapshot: null }), 'status')
  },
  'a role': async (pen) => {
    const state = await some(pen, 'school_management', (row) => row['user_id'] === pen.user && row['role'] !== 'admin')
    return state && one('school_management', written(pen, state, 'role', { role: 'admin' }), 'role')
  },
  'a place in the school': async (pen) => {
    const state = await some(pen, 'school_management', (row) => row['user_id'] !== pen.user && row['is_active'] === true)
    return state && one('school_management', written(pen, state, 'is_active', { is_active: false }), 'is_active')
  },
  'in the name of another': async (pen) => {
    const state = await some(pen, 'grade')
    return state && one('grade', written(pen, state, 'remarks', { remarks: text(pen) }, { actor: await otherPerson(pen) }), 'remarks')
  },
  'in the name of nobody': async (pen) => {
    const state = await some(pen, 'grade')
    // As whoever gives way to a refusal writes, of which nobody has to hear.
    const lie = state && one('grade', written(pen, state, 'remarks', { remarks: text(pen) }, { actor: null }), 'remarks')
    return lie && { ...lie, isKept: false }
  },
  'under the number of the parent': async (pen) => {
    const state = await some(pen, 'grade')
    const as = { node: pen.parent.store.nodeId, counter: LARGE }
    return state && one('grade', written(pen, state, 'remarks', { remarks: text(pen) }, as), 'remarks')
  },
  'a write of another with another value': async (pen) => {
    const state = await some(pen, 'grade')
    const [node, counter, hlc, actor] = state?.units['remarks'] ?? []
    // What the laptop itself wrote by nobody is no other's.
    if (!state || !node || counter === undefined || hlc === undefined || actor === pen.user || pen.own.has(node)) return null
    const units = { ...state.units, remarks: [node, counter, hlc + 5, actor ?? null] as Stamp }
    return one('grade', { ...state, units, values: { ...state.values, remarks: text(pen) } }, 'remarks')
  },
  'the profile of another': async (pen) => {
    const user = await otherPerson(pen)
    const state = await some(pen, 'user_profile', ({ id }) => id === user)
    return state && one('user_profile', written(pen, state, 'name', { first_name: text(pen) }), 'name')
  },
  'what administrators set up': async (pen) => {
    if ((await placeOf(pen)).isAdmin) return null
    const table = pen.chance.pick(['subject', 'academic_year', 'school'] as const)
    const state = await some(pen, table, ({ id }) => table !== 'school' || id === pen.school.id)
    return state && one(table, written(pen, state, 'name', { name: text(pen) }), 'name')
  },
  'what administrators set up, anew': async (pen) => {
    if ((await placeOf(pen)).isAdmin) return null
    const like = await some(pen, 'subject')
    if (!like) return null
    const state = made(pen, like, idOf(pen), { name: text(pen), code: `L${pen.fresh() % 1_000}` })
    return one('subject', state, EXISTENCE)
  },
  'a deletion': async (pen) => {
    if ((await placeOf(pen)).isAdmin) return null
    const table = pen.chance.pick(['student', 'subject', 'term'] as const)
    const state = await some(pen, table)
    return state && one(table, written(pen, state, EXISTENCE, {}), EXISTENCE)
  },
  'a deletion of a member': async (pen) => {
    const state = await some(pen, 'school_management', (row) => row['user_id'] !== pen.user)
    return state && one('school_management', written(pen, state, EXISTENCE, {}), EXISTENCE)
  },
  'a row goes without a deletion': async (pen) => {
    const state = await some(pen, 'grade')
    if (!state || Object.values(state.units).some(([node]) => pen.own.has(node))) return null
    return one('grade', { ...state, alive: [] }, EXISTENCE)
  },
  'a row of another school': async (pen) => {
    const like = await some(pen, 'student')
    const other = founded(pen.school.id === founded(1).id ? 2 : 1)
    return like && one('student', made(pen, like, idOf(pen), { school_id: other.id, first_name: text(pen) }), EXISTENCE)
  },
  'a row moves to another school': async (pen) => {
    const state = await some(pen, 'student')
    const other = founded(pen.school.id === founded(1).id ? 2 : 1)
    const values = { school_id: other.id, first_name: text(pen), last_name: text(pen) }
    return state && one('student', written(pen, state, 'name', values), 'name')
  },
  'a row under another id': async (pen) => {
    const like = await some(pen, 'grade')
    return like && one('grade', made(pen, like, idOf(pen), { remarks: text(pen) }), EXISTENCE)
  },
  'a text that is too long': async (pen) => {
    const state = await some(pen, 'grade')
    return state && one('grade', written(pen, state, 'remarks', { remarks: text(pen).padEnd(100_000, 'x') }), 'remarks')
  },
  'a text that nobody can type': async (pen) => {
    const state = await some(pen, 'grade')
    return state && one('grade', written(pen, state, 'remarks', { remarks: `${text(pen)}\u0007\u202e` }), 'remarks')
  },
  'a score of many digits': async (pen) => {
    const state = await some(pen, 'grade', (row) => row['status'] === null)
    return state && one('grade', written(pen, state, 'score', { score: 12.123456789 }), 'score')
  },
  'a score above every maximum': async (pen) => {
    const state = await some(pen, 'grade', (row) => row['status'] === null)
    return state && one('grade', written(pen, state, 'score', { score: 99_999 }), 'score')
  },
  'a value of another kind': async (pen) => {
    const state = await some(pen, 'grade')
    return state && one('grade', written(pen, state, 'remarks', { remarks: { [text(pen)]: 1 } }), EXISTENCE)
  },
  'a unit that there is not': async (pen) => {
    const state = await some(pen, 'grade')
    const lie = state && written(pen, state, 'nonsense', {})
    return lie && one('grade', { ...lie, extra: { nonsense: { nonsense: text(pen) } } }, 'nonsense')
  },
  'a conflict that never was': async (pen) => {
    const state = await some(pen, 'grade')
    if (!state) return null
    const stamp: Stamp = [pen.parent.store.nodeId, LARGE, pen.now, await otherPerson(pen)]
    const kept = { kind: 'value', value: { remarks: text(pen) }, stamp, status: 'open', reason: null } as const
    const record = conflictState(pen.school.id, SCHEMA_VERSION, { table: 'grade', rowId: state.id, unit: 'remarks', ...kept })
    // Nobody has decided it.
    return { ...one('sync_conflict', record, EXISTENCE), isKept: false }
  },
} satisfies Record<string, Teller>

/** What is no write at all, and may change nothing, not even of the versions. */
const silent = {
  'a claim to have seen what nobody wrote': async (pen) => {
    const table = pen.chance.pick(['grade', 'subject', 'student', 'assessment', 'school_management'] as const)
    const state = await some(pen, table)
    if (!state) return null
    const all = Object.keys(state.vv).filter((node) => !pen.own.has(node))
    return one(table, { ...state, vv: Object.fromEntries([...all, pen.parent.store.nodeId].map((node) => [node, LARGE])) })
  },
  'a row that is there by other writes': async (pen) => {
    const state = await some(pen, 'grade')
    return state && one('grade', { ...state, alive: [[pen.parent.store.nodeId, LARGE]] })
  },
  'a row that was deleted is there by no write': async (pen) => {
    const table = pen.chance.pick(['grade', 'student', 'assessment', 'enrolment'] as const)
    const gone = await deleted(pen, table)
    const alive = [[pen.parent.store.nodeId, LARGE]] as const
    return gone && one(table, { ...gone, vv: { ...gone.vv, ...Object.fromEntries(alive) }, alive })
  },
  'a row that was deleted is there by a write that its person may not make': async (pen) => {
    if ((await placeOf(pen)).isAdmin) return null
    const table = pen.chance.pick(['subject', 'term', 'academic_year'] as const)
    const gone = await deleted(pen, table)
    const alive = [[pen.node, pen.counter]] as const
    return gone && one(table, { ...gone, vv: { ...gone.vv, ...Object.fromEntries(alive) }, alive })
  },
} satisfies Record<string, Teller>

/** A row that the parent knows as deleted. */
async function deleted(pen: Pen, table: Replicated): Promise<RowState | null> {
  const place = { school: pen.school.id, table }
  const ids = await pen.parent.store.read(asSystem(), async ({ connection: { db }, t: { sync_row } }) => {
    const rows = await db
      .select()
      .from(sync_row)
      .where(and(eq(sync_row.school_id, place.school), eq(sync_row.deleted, true)))
    return rows.filter((row) => row.table_name === table && !pen.busy.has(row.row_id)).map((row) => row.row_id)
  })
  if (ids.length === 0) return null
  const id = pen.chance.pick(ids.sort())
  const known = await pen.parent.store.read(asSystem(), (tx) => knownRows(tx, table, place.school, [id]))
  return known.get(id)?.state ?? null
}

const idOf = ({ chance }: Pen) => naturalId('user', `${MARK_OF_LIES}${chance.next()}`)
const tellers: Readonly<Record<string, Teller>> = { ...forbidden, ...silent }
export const kindsOfLies = Object.keys(tellers)
export const lieOf = (kind: string, pen: Pen): Promise<Lie | null> => (tellers[kind] as Teller)(pen)

/**
 * Everything that is stored of rows that are lied about, versions and all, but what is known of the numbers for which the laptop answers,
 * `own`: that they have seen what it says of itself, and that it says that the row is there.
 */
export function storedOf(node: WorldNode, school: string, rows: readonly Carried[], own: ReadonlySet<string>): Promise<string[]> {
  return node.store.read(asSystem(), (tx) =>
    Promise.all(
      rows.map(async ({ table, state: { id } }) => {
        const known = (await knownRows(tx, table, school, [id])).get(id)
        const { vv = {}, units, alive = [] } = known?.state ?? {}
        const others = Object.entries(vv).filter(([number]) => !own.has(number))
        const there = alive.filter(([number]) => !own.has(number))
        // Where somebody wrote with a wrong clock, these columns tell of another write until the row is written again: they follow from the
        // stamps then.
        const { updated_at: _, updated_by: __, ...row } = (known?.row ?? {}) as Record<string, unknown>
        return JSON.stringify([others, units, there, alive.length > 0, known?.extra, Object.entries(row).sort()])
      }),
    ),
  )
}

/** Where a lie stands: in any column of any table that replicates, in what is held, and in the history. */
export async function believedAt({ name, store }: WorldNode, schools: readonly string[]): Promise<string[]> {
  return store.read(asSystem(), async (tx) => {
    const found: string[] = []
    const look = (place: string, rows: readonly object[]) => {
      for (const row of rows) {
        const said = JSON.stringify(row)
        if (said.includes(MARK_OF_LIES)) found.push(`${name} believes a lie, ${place}: ${said.slice(0, 400)}`)
      }
    }
    for (const school of schools) {
      for (const table of tableOrder) {
        const rows = await rowsWhere(tx, table, school)
        // What the writer had a right to until they could not know that it had gone is kept, as what does not stand.
        look(table, table === 'sync_conflict' ? rows.filter((row) => row['kind'] !== 'right') : rows)
      }
    }
    const { sync_held, sync_row, history } = tx.t
    look('beside a row', await tx.connection.db.select().from(sync_row))
    look('held', await tx.connection.db.select().from(sync_held))
    look('history', await tx.connection.db.select({ changes: history.changes }).from(history))
    return found
  })
}

export const isSealed = (table: Replicated): boolean => Boolean(descriptions[table].sealed)
