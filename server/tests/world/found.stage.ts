import { rmSync } from 'node:fs'
import type { Replicated, Row } from '@markbook/shared/tables/tables'
import { afterEach, test as anywhere, expect } from 'vitest'
import { rowsWhere } from '../../store/replica/states.ts'
import { asSystem, type WriteTx } from '../../store/tx.ts'
import { testClock } from '../../testing/clock.ts'
import { contentsOf, differences, scopeAt } from './checks.ts'
import { founded } from './founding.ts'
import type { WorldNode } from './node.ts'
import { makeRound } from './round.ts'
import { BEGINNING, plainCarrier, roleOf, stageFor } from './stage.ts'

/** A centre, its school and a laptop, for what the simulated world found. */
export const open: WorldNode[] = []
const folders: string[] = []
afterEach(async () => {
  for (const node of open.splice(0)) await node.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** Its nodes keep SQLite files, whatever this run is on. */
export const test = anywhere.skipIf(process.env['TEST_DATABASE'] === 'postgres')
export const school = founded(1)
export const teacher = roleOf('laptop1').user as string
export const admin = school.admins[0] as string

/** `computer`: the first is a teacher's, the second an administrator's. */
export async function stage(computer: 'laptop1' | 'laptop2' = 'laptop1') {
  const { folder, nodes } = await stageFor(['centre', 'school1', computer], testClock(BEGINNING), 'found')
  folders.push(folder)
  for (const node of nodes.values()) await node.open()
  open.push(...nodes.values())
  const [centre, box, laptop] = ['centre', 'school1', computer].map((name) => nodes.get(name)) as [WorldNode, WorldNode, WorldNode]
  const round = async (child: WorldNode, parent: WorldNode) =>
    expect(await makeRound(child, parent, plainCarrier(child, parent))).toBe('whole')
  const meet = async () => {
    for (let rounds = 0; rounds < 3; rounds += 1) {
      await round(laptop, box)
      await round(box, centre)
    }
  }
  const expectSame = async () => {
    expect(differences(await contentsOf(centre, school.id), await contentsOf(box, school.id))).toEqual([])
    const within = await scopeAt(box, school.id, roleOf(computer).user as string)
    expect(differences(await contentsOf(box, school.id), await contentsOf(laptop, school.id), within)).toEqual([])
  }
  return { centre, box, laptop, round, meet, expectSame }
}

export const at = <T>(node: WorldNode, actor: string, work: (tx: WriteTx) => Promise<T>) => node.store.write(asSystem(actor), work)
export const rows = <T extends Replicated>(node: WorldNode, table: T) =>
  node.store.read(asSystem(), (tx) => rowsWhere(tx, table, school.id)) as unknown as Promise<Row<T>[]>
export const subjectOf = (id: string, code: string) => ({ id, school_id: school.id, name: code, code, sort_order: 9, is_active: true })
export const idOf = (last: number) => `019bbbbb-0000-7000-8000-${String(last).padStart(12, '0')}`
export const assessmentOf = async (node: WorldNode) => (await rows(node, 'assessment'))[0] as Row<'assessment'>
