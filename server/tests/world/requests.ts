import type { BinItem } from '@markbook/shared/contract/bin'
import { naturalId } from '@markbook/shared/ids'
import { rowsWhere } from '../../store/replica/states.ts'
import { asSystem } from '../../store/tx.ts'
import { proved } from '../../testing/proved.ts'
import type { Chance } from './chance.ts'
import type { Founded } from './founding.ts'
import type { WorldNode } from './node.ts'

export type Asking = { school: Founded; chance: Chance; fresh(): number; actor: string }
type Requested = (node: WorldNode, asking: Asking) => Promise<unknown>

const list = async (node: WorldNode, school: string, table: Parameters<typeof rowsWhere>[1]) =>
  (await node.store.read(asSystem(), (tx) => rowsWhere(tx, table, school))).sort((a, b) => (a.id < b.id ? -1 : 1))

async function book(node: WorldNode, { school, chance }: Asking) {
  const books = await list(node, school.id, 'report_book')
  return books.length > 0 ? chance.pick(books) : undefined
}

/** What goes through the real API, refused or not: a refusal must write nothing, and what is answered must last. */
export const requests = {
  bulk: async (node, asking) => {
    const { school, chance, fresh, actor } = asking
    const assessments = await list(node, school.id, 'assessment')
    if (assessments.length === 0) return
    const assessment = chance.pick(assessments)
    const enrolled = await list(node, school.id, 'enrolment')
    const students = [...new Set(enrolled.map((row) => row['student_id'] as string))].slice(0, 4)
    if (students.length === 0) return
    const grades = students.map((studentId) => ({ studentId, score: (fresh() % 1_000) / 100 }))
    return (await node.as(actor)).grades.bulk.raw({ body: { assessmentId: assessment.id, grades } })
  },
  generate: async (node, { school, chance, actor }) => {
    const groups = await list(node, school.id, 'student_group')
    if (groups.length === 0) return
    const termId = naturalId('term', school.years[0] as string, 'michaelmas')
    return (await node.as(actor)).reports.generate.raw({ body: { studentGroupId: chance.pick(groups).id, termId, reportType: 'term' } })
  },
  publish: async (node, asking) => {
    const one = await book(node, asking)
    return one && (await node.as(asking.actor)).reports.publish.raw({ params: { id: one.id } })
  },
  send: async (node, asking) => {
    const one = await book(node, asking)
    if (!one) return
    const client = await node.as(asking.actor)
    await proved(node, { id: asking.actor })
    return client.reports.sendToMinistry.raw({ params: { id: one.id } })
  },
  regenerate: async (node, asking) => {
    const one = await book(node, asking)
    return one && (await node.as(asking.actor)).reports.regenerate.raw({ params: { id: one.id } })
  },
  newTitle: async (node, asking) => {
    const assessments = await list(node, asking.school.id, 'assessment')
    if (assessments.length === 0) return
    const { id } = asking.chance.pick(assessments)
    return (await node.as(asking.actor)).assessments.update.raw({ params: { id }, body: { title: `T${asking.fresh()}` } })
  },
} satisfies Record<string, Requested>

/** The same of teaching sets; restoring is of sets alone. */
export const structureRequests = {
  setStudents: async (node, { school, chance, actor }) => {
    const [sets, places] = [await list(node, school.id, 'teaching_set'), await list(node, school.id, 'enrolment')]
    if (sets.length === 0 || places.length === 0) return
    const set = chance.pick(sets)
    const placed = places.filter((row) => row['academic_year_id'] === set['academic_year_id'])
    const studentIds = [...new Set(placed.filter(() => chance.often(0.5)).map((row) => row['student_id'] as string))]
    return (await node.as(actor)).teachingSets.setStudents.raw({ params: { id: set.id }, body: { studentIds } })
  },
  markSet: async (node, { school, chance, fresh, actor }) => {
    const sets = await list(node, school.id, 'teaching_set')
    const taught = (await list(node, school.id, 'teaching_set_teacher')).filter((row) => row['user_profile_id'] === actor)
    const own = sets.filter(({ id }) => taught.some((row) => row['teaching_set_id'] === id))
    if (own.length === 0) return
    const set = chance.pick(own)
    const members = (await list(node, school.id, 'teaching_set_member')).filter((row) => row['teaching_set_id'] === set.id)
    const assessments = (await list(node, school.id, 'assessment')).filter((row) => row['subject_id'] === set['subject_id'])
    if (members.length === 0 || assessments.length === 0) return
    const grades = members.map((row) => ({ studentId: row['student_id'] as string, score: (fresh() % 1_000) / 100 }))
    return (await node.as(actor)).grades.bulk.raw({ body: { assessmentId: chance.pick(assessments).id, grades } })
  },
  removeSet: async (node, { school, chance, actor }) => {
    const sets = await list(node, school.id, 'teaching_set')
    return sets.length > 0 ? (await node.as(actor)).teachingSets.remove.raw({ params: { id: chance.pick(sets).id } }) : undefined
  },
  restoreSet: async (node, { chance, actor }) => {
    const client = await node.as(actor)
    const listed = await client.bin.list.raw({ query: {} })
    const binned = listed.status === 200 ? (listed.body as BinItem[]).filter(({ entity }) => entity === 'teaching_set') : []
    return binned.length > 0 ? client.bin.restore.raw({ params: { id: chance.pick(binned).id } }) : undefined
  },
} satisfies Record<string, Requested>
export const structureRequestWeights: Record<keyof typeof structureRequests, number> = {
  setStudents: 3,
  markSet: 3,
  removeSet: 1,
  restoreSet: 3,
}

export type RequestName = keyof typeof requests
export const requestWeights: Record<RequestName, number> = { bulk: 3, generate: 3, publish: 3, send: 2, regenerate: 2, newTitle: 1 }
