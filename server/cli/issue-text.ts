import type { Conflict, RefusedWrite } from '@markbook/shared/contract/replication.rows'
import type { Issue } from '../features/replication/issues.ts'
import { entityName, nodeOwnerText, personName, reasons, rowName, valuesText, whyRefused } from './replication-words.ts'
import { factLines, INDENT, shortened, WIDTH, wrap } from './table.ts'
import { lasting, shortMoment } from './words.ts'

/**
 * An issue with the texts about it. `conflict`: both values, null for another kind of issue; `named`: the name of the row with an id;
 * `short`: the shortest beginning of its ref that is unique.
 */
export type DescribedIssue = {
  issue: Issue
  short: string
  conflict: Conflict | null
  named: (column: string, id: string) => string | null
}
/** A school with its issues. */
export type IssuesOfSchool = { school: string; told: readonly DescribedIssue[] }

/** The list, two lines an issue, grouped by headings; with the name of the school where there are several. */
export function listText(schools: readonly IssuesOfSchool[], { isNamed }: { isNamed: boolean }): string[] {
  return schools.flatMap(({ school, told }) => {
    const heads = [...new Set(told.map(({ issue }) => headOf(issue)))]
    const groups = heads.flatMap((head) => ['', head, ...told.filter(({ issue }) => headOf(issue) === head).flatMap(twoLines)])
    return isNamed && told.length > 0 ? ['', `${school}:`, ...groups] : groups
  })
}

function twoLines(told: DescribedIssue): string[] {
  const { short, issue } = told
  const room = WIDTH - INDENT.length - short.length - 2
  const when = shortMoment(issue.since).padEnd(STAMP + 2)
  return [
    `${INDENT}${short}  ${shortened(subjectOfIssue(told), room)}`,
    `${INDENT}${' '.repeat(short.length)}  ${when}${gistOf(told, room - when.length)}`,
  ]
}
/** The length of the longest time. */
const STAMP = 18

/** The heading, in the words of the page «Sync». */
function headOf(issue: Issue): string {
  if (issue.kind === 'conflict') return issue.isDone ? 'Decided' : 'To decide'
  if (issue.kind !== 'refused') return HEADS[issue.kind]
  const { from } = issue.about
  if (!from) return 'Not taken by the other side'
  return from.user ? `Not taken from the laptop of ${personName(from.user)}` : `Not taken from ${from.name ?? 'another server'}`
}
const HEADS = { held: 'Arrived and cannot be written yet', clock: 'Clocks that do not agree', copy: 'Copied computers' }

/** The name of the row or computer. */
export function subjectOfIssue({ issue, conflict }: DescribedIssue): string {
  if (issue.kind === 'clock' || issue.kind === 'copy') return issue.about.name
  return rowName(issue.kind === 'conflict' ? (conflict ?? { entity: issue.about.entity, where: '' }) : issue.about)
}

/** A summary in at most `room` characters. */
function gistOf(told: DescribedIssue, room: number): string {
  const { issue, conflict } = told
  if (issue.kind === 'conflict') return conflict ? bothIn(room, nowText(told, conflict), otherText(told, conflict)) : ''
  if (issue.kind === 'refused') return shortened([writtenText(told), whyOf(issue)].filter(Boolean).join('; '), room)
  if (issue.kind === 'held') return shortened(heldBecause(issue.about.reason), room)
  return shortened(issue.kind === 'clock' ? clockText(issue.about) : copyText(issue.about), room)
}

/** Both values in at most `room` characters; the longer one is cut. */
function bothIn(room: number, now: string, other: string): string {
  const [before, between] = ['now: ', ', other: ']
  const rest = room - before.length - between.length
  const half = Math.floor(rest / 2)
  const first = shortened(now, Math.max(half, rest - other.length))
  return `${before}${first}${between}${shortened(other, rest - first.length)}`
}

const whyOf = ({ about: { code, from } }: Issue & { kind: 'refused' }) => whyRefused(code, from !== null)
const clockText = ({ clock_offset_ms: off }: { clock_offset_ms: number | null }) =>
  `its clock was ${lasting(off ?? 0)} ${(off ?? 0) > 0 ? 'ahead of' : 'behind'} this machine’s`
const copyText = ({ began_anew }: { began_anew: { name: string } | null }) => `a copy of ${began_anew?.name}, or the other way round`

/** Replaces the name of a table in `waits for its student_group`, a sentence of replication. */
const heldBecause = (reason: string) =>
  reason.replace(/^waits for its (\w+)$/, (_, entity: string) => `waits for what it belongs to (${entityName(entity)})`)

const textOf = ({ named }: DescribedIssue, columns: Readonly<Record<string, unknown>>, outOf: number | null) =>
  valuesText(columns, { outOf, named })

/** The value that counts now. After a deletion the last values of the row. */
export function nowText(told: DescribedIssue, { kept, current, kind, out_of }: Conflict): string {
  if (current) return textOf(told, current, out_of) || 'it is still there'
  return kept === null && kind === 'delete' ? 'nothing' : 'not there any more'
}
export const otherText = (told: DescribedIssue, { kept, out_of }: Conflict): string => (kept ? textOf(told, kept, out_of) : 'deleted')

/** The refused values; empty where they could not be read, or where the issue stands for several writes. */
function writtenText(told: DescribedIssue): string {
  if (told.issue.kind !== 'refused') return ''
  const { code, value, out_of } = told.issue.about
  if (code === 'malformed' || code === 'more') return ''
  if (value === null) return 'deleted'
  return Object.keys(value).length === 0 ? 'too long to be kept here' : textOf(told, value, out_of)
}

/** All that is known about an issue. `school`: its name where there are several schools, else null. */
export function wholeText(told: DescribedIssue, school: string | null): string[] {
  const { issue, short } = told
  const isOfComputer = issue.kind === 'clock' || issue.kind === 'copy'
  const what: Fact = isOfComputer
    ? ['Computer', `${issue.about.name}, ${nodeOwnerText(issue.about, null)}`]
    : ['What', subjectOfIssue(told)]
  const facts: Fact[] = [what, ...fact('School', school), ...factsOf(told)]
  const rows = facts.flatMap(([name, ...lines]) => lines.map((line, at) => [at === 0 ? `${name}:` : '', line] as const))
  return [`${short}  ${headOf(issue)}`, '', ...factLines(rows)]
}

type Fact = readonly [name: string, ...lines: string[]]
/** No line where there is no text. */
const fact = (name: string, text: string | false | null | undefined): Fact[] => (text ? [[name, text]] : [])

function factsOf(told: DescribedIssue): Fact[] {
  const { issue, conflict } = told
  switch (issue.kind) {
    case 'conflict':
      return conflict ? conflictFacts(told, conflict) : []
    case 'refused': {
      const { actor, at, refused_at, seen_at, from, may_enter } = issue.about
      return [
        ...fact('Counts now', nowOfRefused(told, issue.about) || (may_enter && 'not there')),
        ...fact('Written', writtenText(told)),
        ['By', `${personName(actor)}, ${shortMoment(at)}`],
        ...fact('On', from && (from.name ?? 'another server')),
        ['Not taken', `${shortMoment(refused_at)}. ${whyOf(issue)}`],
        ...fact('Put aside', seen_at && shortMoment(seen_at)),
      ]
    }
    case 'held': {
      const { reason, since, tries } = issue.about
      return [
        ['Why', heldBecause(reason)],
        ['Since', shortMoment(since)],
        ['Tried', tries === 1 ? 'once' : `${tries} times`],
      ]
    }
    case 'clock':
      return [
        ['What is so', clockText(issue.about)],
        ['Last heard', issue.about.last_seen_at ? shortMoment(issue.about.last_seen_at) : 'never'],
      ]
    case 'copy':
      return [
        ['What is so', copyText(issue.about)],
        ['Since', issue.about.began_anew ? shortMoment(issue.about.began_anew.at) : 'an unknown time'],
      ]
  }
}

function conflictFacts(told: DescribedIssue, conflict: Conflict): Fact[] {
  const { kind, before, out_of, standing, resolved_at, resolved_by } = conflict
  return [
    ['Counts now', nowText(told, conflict), ...(standing ? byLines(standing) : [])],
    ['Written too', otherText(told, conflict), ...byLines(conflict)],
    ...(before ? [['Before both', textOf(told, before, out_of)] as const] : []),
    ...fact('Why', kind === 'value' ? null : reasons[kind]),
    ...fact('Decided', resolved_at && `${shortMoment(resolved_at)}, by ${personName(resolved_by)}`),
  ]
}

function byLines({ actor, at, node, clock_off_ms }: NonNullable<Conflict['standing']>): string[] {
  const by = `${personName(actor)}, ${shortMoment(at)}, at ${node ?? 'another server'}`
  if (clock_off_ms === null) return [by]
  const off = `${lasting(clock_off_ms)} ${clock_off_ms > 0 ? 'ahead' : 'behind'}`
  return [by, `The clock there was ${off}: which came later is not certain.`]
}

/** What can be done about an issue, as lines for the terminal. */
export function adviceText(told: DescribedIssue): string[] {
  const { issue, short, conflict } = told
  if (issue.isDone) return []
  const typed = `markbook issues resolve ${short}`
  if (issue.kind === 'refused') {
    const { may_enter, value } = issue.about
    if (!may_enter) return [...wrap(ENTER_AGAIN, WIDTH), `${INDENT}${typed} --as <email>`]
    return choices([
      [`${typed} other`, value === null ? 'deletes it after all' : `enters what was written: ${writtenText(told)}`],
      [`${typed} now`, `puts it aside${nowOfRefused(told, issue.about, ': what counts now is ')}`],
    ])
  }
  if (!conflict) {
    const { what, by } = elsewhere(issue)
    return [...wrap(what, WIDTH), ...by.map((command) => INDENT + command)]
  }
  const ways = [
    [`${typed} now`, `leaves what counts now: ${nowText(told, conflict)}`],
    [`${typed} other`, conflict.kept ? `takes the other: ${otherText(told, conflict)}` : 'deletes it after all'],
    ...(conflict.kept ? [[`${typed} --value ${exampleOf(conflict.kept)}`, 'says that neither was right']] : []),
  ]
  return choices(ways)
}

function choices(ways: readonly (readonly string[])[]): string[] {
  const lines = ways.flatMap(([way = '', does = '']) => [INDENT + way, ...wrap(does, WIDTH - 6).map((line) => `      ${line}`)])
  return ['To decide it, with --as <email> of whoever decides:', ...lines]
}

/** What stands in the place of a refused write, behind `lead`; empty where the row is not here. */
const nowOfRefused = (told: DescribedIssue, { current, out_of }: RefusedWrite, lead = ''): string => {
  const text = current && textOf(told, current, out_of)
  return text ? `${lead}${text}` : ''
}

const ENTER_AGAIN = 'What should count has to be entered again by somebody who may. Then it is put aside:'

/** For an issue that is not decided here: what happens or who must act, and the commands for it. */
export function elsewhere({ kind, about }: Issue): { what: string; by: readonly string[] } {
  if (kind === 'held') return { what: HELD, by: ['markbook sync verify --repair'] }
  if (kind === 'clock') return { what: CLOCK, by: [] }
  if (kind !== 'copy') return { what: '', by: [] }
  return { what: COPY, by: [about.name, about.began_anew?.name].map((name) => `markbook node revoke "${name}"`) }
}
const HELD =
  'Nothing is to be decided: it is tried again by itself each time something arrives. Where it stays for a day, at the server or laptop that has joined the other:'
const CLOCK =
  'Nothing is to be decided: compare the clocks of both computers with a telephone, and set the wrong one right. This goes by itself when they meet next.'
const COPY = 'Only you know which of the two should not be. Shut out that one, and not both:'

/** The values in the form of `--value`. */
function exampleOf(columns: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(columns)
  return names.length === 1 ? '<value>' : names.map((name) => `${name}=…`).join(' --value ')
}
