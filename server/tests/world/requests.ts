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
export type RequestName = keyof typeof requests
export const requestWeights: Record<RequestName, number> = { bulk: 3, generate: 3, publish: 3, send: 2, regenerate: 2, newTitle: 1 }
