import { type Issue, issuesOf } from '../features/replication/issues.ts'
import { namesInValues } from '../features/replication/naming.ts'
import { type Here, shownConflicts } from '../features/replication/replication.queries.ts'
import type { ReadTx } from '../store/tx.ts'
import { schoolsHere } from './export/naming.ts'
import { wrongUsage } from './help.ts'
import type { DescribedIssue } from './issue-text.ts'

/** The issues of several schools; `done`: those that are decided or put aside. */
export async function everyIssue(tx: ReadTx, schools: readonly { id: string; name: string }[], done = false): Promise<Issue[]> {
  const found: Issue[] = []
  for (const { id } of schools) found.push(...(await issuesOf(tx, id, { done })))
  return found
}

/** The issues with the texts about them. `among`: all issues whose refs the short refs must differ from. */
export async function describeIssues(tx: ReadTx, here: Here, issues: readonly Issue[], among: readonly Issue[]): Promise<DescribedIssue[]> {
  const length = telling(among)
  const told: DescribedIssue[] = []
  for (const school of new Set(issues.map((each) => each.school))) {
    const own = issues.filter((each) => each.school === school)
    const rows = own.flatMap((each) => (each.kind === 'conflict' ? each.records : []))
    const conflicts = await shownConflicts(tx, school, rows, { here, mayDecide: () => true })
    const byId = new Map(conflicts.map((each) => [each.id, each]))
    const named = await namesInValues(tx, school, [
      ...own.map((each) => (each.kind === 'refused' ? each.about.value : null)),
      ...conflicts.flatMap(({ kept, current, before }) => [kept, current, before]),
    ])
    const conflictOf = (issue: Issue) => (issue.kind === 'conflict' ? (byId.get(issue.about.id) ?? null) : null)
    told.push(...own.map((issue) => ({ issue, short: issue.ref.slice(0, length), conflict: conflictOf(issue), named })))
  }
  return told
}

const SHORT = 6
/** The number of first digits in which all refs differ. */
function telling(issues: readonly Issue[]): number {
  const refs = [...new Set(issues.map(({ ref }) => ref))]
  for (let length = SHORT; ; length += 1) if (new Set(refs.map((ref) => ref.slice(0, length))).size === refs.length) return length
}

/**
 * The issue whose ref begins with the typed digits, among the open issues and then among those done. Throws wrong usage where there is
 * none, or several.
 */
export async function issueNamed(
  tx: ReadTx,
  here: Here,
  typed: string,
): Promise<{ told: DescribedIssue; school: string; isOnlySchool: boolean }> {
  const schools = await schoolsHere(tx)
  const ref = typed.trim().toLowerCase()
  if (ref.length < SHORT) throw wrongUsage(`There is no ${typed}: an id has ${SHORT} digits and more. markbook issues list shows them.`)
  for (const done of [false, true]) {
    const all = await everyIssue(tx, schools, done)
    const found = all.filter((each) => each.ref.startsWith(ref))
    const [issue] = found
    if (!issue) continue
    if (found.length > 1)
      throw wrongUsage(`${found.length} ids begin with ${typed}: type more of the one that you mean. markbook issues list shows them.`)
    const [told] = await describeIssues(tx, here, [issue], all)
    return {
      told: told as DescribedIssue,
      school: schools.find(({ id }) => id === issue.school)?.name ?? '',
      isOnlySchool: schools.length === 1,
    }
  }
  throw wrongUsage(`There is no ${typed} to look at. markbook issues list shows what there is.`)
}
