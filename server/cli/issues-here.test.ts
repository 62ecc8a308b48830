import { createHash } from 'node:crypto'
import { stBrigids } from '@markbook/shared/story/people'
import { CommanderError } from 'commander'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { issuesOf } from '../features/replication/issues.ts'
import { asSystem } from '../store/tx.ts'
import { type School, school } from '../testing/school.ts'
import { describeIssues, issueNamed } from './issues-here.ts'

let st: School
beforeEach(async () => {
  st = await school()
})
afterEach(() => st.close())

const here = { id: '', name: 'here' }
const refOf = (row: string) => createHash('sha256').update(`held grade ${row}`).digest('hex').slice(0, 16)

/** Two rows whose refs have the same first six digits. */
function twoAlike(): [string, string] {
  const known = new Map<string, string>()
  for (let at = 0; ; at += 1) {
    const row = `01890000-0000-7000-8000-${at.toString(16).padStart(12, '0')}`
    const other = known.get(refOf(row).slice(0, 6))
    if (other) return [other, row]
    known.set(refOf(row).slice(0, 6), row)
  }
}

test('refs with the same beginning are listed longer, and a beginning of both is refused', async () => {
  const rows = twoAlike()
  const [first, second] = rows.map(refOf) as [string, string]
  await st.services.store.write(asSystem(), async (tx) => {
    const held = { school_id: stBrigids, table_name: 'grade', state: '{}', reason: 'no', peer_id: null, since: tx.now, tries: 1 }
    await tx.local.insert(tx.t.sync_held).values(rows.map((row_id) => ({ ...held, row_id })))
  })
  const named = (typed: string) => st.services.store.read(asSystem(), (tx) => issueNamed(tx, here, typed))
  const told = await st.services.store.read(asSystem(), async (tx) => {
    const all = await issuesOf(tx, stBrigids)
    return describeIssues(tx, here, all, all)
  })
  const alike = [...first].findIndex((digit, at) => digit !== second[at])
  expect(alike).toBeGreaterThanOrEqual(6)
  expect(told.map(({ short }) => short).sort()).toEqual([first, second].map((ref) => ref.slice(0, alike + 1)).sort())
  for (const ref of [first, second]) expect((await named(` ${ref.slice(0, alike + 1).toUpperCase()}`)).told.issue.ref).toBe(ref)
  const refusal = await named(first.slice(0, 6)).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(CommanderError)
  expect(refusal).toMatchObject({ exitCode: 2, message: expect.stringMatching(/^2 ids begin with .*: type more of the one that you mean/) })
})
