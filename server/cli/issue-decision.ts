import type { Conflict } from '@markbook/shared/contract/replication.rows'
import { wrongUsage } from './help.ts'
import { type DescribedIssue, elsewhere, nowText, otherText } from './issue-text.ts'
import { personName } from './replication-words.ts'
import { shortMoment } from './words.ts'

/** What was typed: one of the two values, or with `--value` others instead of both. */
type Typed = { choice: 'now' | 'other' | undefined; values: readonly string[] }
/** What to send to the service: the decision of a conflict, or that a refused write is put aside, or entered (`enters`). */
export type Decision =
  | { of: 'conflict'; id: string; body: { choice: 'current' | 'kept' | 'typed'; value?: Record<string, unknown> }; deletes: boolean }
  | { of: 'refused'; id: string; enters: boolean; deletes: boolean }

/**
 * The decision that was typed. Throws wrong usage, with what can be typed instead, where the issue is done, is not decided here, or is
 * decided with other arguments.
 */
export function decisionOf(told: DescribedIssue, { choice, values }: Typed): Decision {
  const { issue, conflict } = told
  if (issue.isDone) throw wrongUsage(`${alreadyDone(told)} Nothing was changed.`)
  const isTyped = values.length > 0
  if (issue.kind === 'refused') {
    const { id, may_enter, value } = issue.about
    if (isTyped) throw wrongUsage(`Another value is entered in the app. Here: ${waysText(told)}`)
    if (choice !== 'other') return { of: 'refused', id, enters: false, deletes: false }
    if (may_enter) return { of: 'refused', id, enters: true, deletes: value === null }
    throw wrongUsage(`That cannot be entered as it was written. ${waysText(told)}`)
  }
  if (!conflict) {
    const { what, by } = elsewhere(issue)
    throw wrongUsage([what, by.join(', or ')].filter(Boolean).join(' '))
  }
  if (isTyped === (choice !== undefined))
    throw wrongUsage(`Say now (${nowText(told, conflict)}), other (${otherText(told, conflict)}), or --value with another one.`)
  const { id, kept } = conflict
  if (isTyped) return { of: 'conflict', id, body: { choice: 'typed', value: typedValues(conflict, values) }, deletes: false }
  return choice === 'now'
    ? { of: 'conflict', id, body: { choice: 'current' }, deletes: false }
    : { of: 'conflict', id, body: { choice: 'kept' }, deletes: kept === null }
}

const waysText = ({ short }: DescribedIssue) => `markbook issues resolve ${short} puts it aside.`

const alreadyDone = ({ issue, conflict }: DescribedIssue): string =>
  conflict?.resolved_at
    ? `That was decided already, on ${shortMoment(conflict.resolved_at)} by ${personName(conflict.resolved_by)}.`
    : `That was put aside already, on ${shortMoment((issue.kind === 'refused' ? issue.about.seen_at : null) ?? issue.since)}.`

/**
 * The typed values by column, each parsed as the kind of its column. Throws wrong usage for a wrong value, or where a column is missing or
 * repeated.
 */
function typedValues({ kept, current }: Conflict, typed: readonly string[]): Record<string, unknown> {
  if (!kept) throw wrongUsage('One of the two is that it was deleted: say now, or other.')
  const columns = Object.keys(kept)
  const entries = typed.map((each): [string, string] => {
    const [, name, value] = /^(\w+)=(.*)$/s.exec(each) ?? []
    if (name !== undefined && value !== undefined && columns.includes(name)) return [name, value]
    if (columns.length === 1) return [columns[0] as string, each]
    throw wrongUsage(`Say each of them, like --value ${columns[0]}=…: ${columns.join(', ')}`)
  })
  const given = new Map(entries)
  if (given.size !== columns.length || entries.length !== columns.length) throw wrongUsage(`Say each of them once: ${columns.join(', ')}`)
  return Object.fromEntries([...given].map(([name, text]) => [name, typedValue(name, text, kept[name] ?? current?.[name])]))
}

function typedValue(name: string, text: string, like: unknown): unknown {
  if (typeof like === 'number') {
    const number = Number(text.trim().replace(',', '.'))
    if (text.trim() === '' || !Number.isFinite(number)) throw wrongUsage(`${text} is not a number, such as 24.5.`)
    return number
  }
  if (typeof like === 'boolean') {
    if (/^(yes|no|true|false)$/i.test(text)) return /^(yes|true)$/i.test(text)
    throw wrongUsage(`${name} is yes or no.`)
  }
  if (typeof like === 'object' && like !== null) throw wrongUsage('That cannot be typed here: do it in the app.')
  return text.trim() === '' ? null : text
}
