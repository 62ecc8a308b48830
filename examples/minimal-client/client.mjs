// node client.mjs FOLDER join ADDRESS CODE [--insecure] | sync | marks | set MARK SCORE | conflicts | refused
import { Laptop } from './laptop.mjs'

const [folder = '', verb = '', ...words] = process.argv.slice(2)
const laptop = new Laptop(folder)
const byId = (table) => new Map(laptop.rows(table).map(({ id, values }) => [id, values]))

/** One line for each mark: id, pupil, subject and assessment, score. */
function marks() {
  const [pupils, assessments, subjects] = ['student', 'assessment', 'subject'].map(byId)
  const lines = laptop.rows('grade').map(({ id, values: { assessment_id, student_id, score } }) => {
    const [pupil, work] = [pupils.get(student_id), assessments.get(assessment_id)]
    const subject = subjects.get(work?.subject_id)?.name
    return `${id}  ${pupil?.last_name}, ${pupil?.first_name}  ${subject}: ${work?.title}  ${score} / ${work?.max_score}`
  })
  return lines.sort((a, b) => (a.slice(36) < b.slice(36) ? -1 : 1))
}

/** One line for each open conflict: the write that lost, by whom and when, and the value that counts now. */
function conflicts() {
  const people = byId('user_profile')
  const name = (id) => [people.get(id)?.first_name, people.get(id)?.last_name].filter(Boolean).join(' ') || 'nobody'
  const open = laptop.rows('sync_conflict').filter(({ values }) => values.status === 'open')
  return open.map(({ id, values: { entity, row_id, unit, value, actor_id, hlc } }) => {
    const row = laptop.row(entity, row_id)
    const [, , at, by] = row?.units[unit] ?? []
    const stands = value && Object.fromEntries(Object.keys(value).map((column) => [column, row?.values[column]]))
    const told = (what, who, when) => `${JSON.stringify(what)} by ${name(who)} at ${new Date(when ?? 0).toISOString()}`
    return `${id}  ${entity} ${row_id}: kept ${told(value, actor_id, hlc)}; stands ${told(stands, by, at)}`
  })
}

function setMark(id, score) {
  const mark = laptop.row('grade', id)
  if (!mark?.alive.length) throw new Error(`There is no mark ${id}.`)
  if (!Number.isFinite(score)) throw new Error('A score is a number.')
  if (mark.values.score === score) return 'It says so already.'
  const change = { table: 'grade', id, unit: 'score', values: { score }, near: mark.values.assessment_id }
  laptop.write([change, ...seen(mark, 'score').map((conflict) => resolved(conflict, { choice: 'typed', value: { score } }))])
  return 'Saved here. It goes up with the next sync.'
}

/** The open conflicts about a unit whose losing write this row has seen; a write of the unit decides them. */
const seen = ({ id, vv }, unit) =>
  laptop.rows('sync_conflict').filter(({ values: of }) => {
    const isOpen = of.status === 'open' && of.kind === 'value'
    return isOpen && of.row_id === id && of.unit === unit && (vv[of.node_id] ?? 0) >= of.counter
  })

const resolved = ({ id }, resolution) => ({
  table: 'sync_conflict',
  id,
  unit: 'status',
  values: { status: 'resolved', resolved_at: new Date().toISOString(), resolved_by: laptop.own.user, resolution },
})

const refused = () =>
  laptop.own.refused.map(({ table, id, values, code }) => `${table} ${id}: ${JSON.stringify(values)} was not taken (${code})`)

const verbs = {
  join: async (address, code, word) => {
    const { school_name } = await laptop.join(address, code, 'Minimal client', word === '--insecure')
    return `Joined ${school_name}.`
  },
  sync: async () => `${await laptop.round()} rows came.`,
  marks,
  set: (id, score) => setMark(id, Number(score)),
  conflicts,
  refused,
}

try {
  const work = verbs[verb]
  if (!work || (!laptop.own?.peer && verb !== 'join'))
    throw new Error('FOLDER join ADDRESS CODE [--insecure] | sync | marks | set MARK SCORE | conflicts | refused')
  const said = await work(...words)
  for (const line of [said].flat()) console.log(line)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
