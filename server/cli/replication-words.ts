import type { SyncNode } from '@markbook/shared/contract/replication.rows'
import { isId } from '@markbook/shared/ids'
import columns from '@markbook/shared/words/en/columns.json' with { type: 'json' }
import records from '@markbook/shared/words/en/records.json' with { type: 'json' }

/** The words of the app, which are what people at school know. */
export const { reason: reasons } = records

type Group = Readonly<Record<string, string>>
const said = (group: Group, code: string, other: string): string => (Object.hasOwn(group, code) ? (group[code] as string) : other)

export const entityName = (entity: string): string => said(records.entity, entity, records.entity.other)
/** `here`: this server refused it, and not the other side. */
export const whyRefused = (code: string, isHere: boolean): string => {
  const group = isHere ? records.refusalHere : records.refusal
  return said(group, code, group.other)
}

/** A row as people call it: «Mark: Adeyemi Zoë · Christmas exam · Mathematics». */
export const rowName = ({ entity, where }: { entity: string; where: string }): string =>
  where ? `${entityName(entity)}: ${where}` : entityName(entity)

export const personName = (person: { first_name: string | null; last_name: string | null } | null): string =>
  person === null
    ? 'the service'
    : [person.first_name, person.last_name].filter(Boolean).join(' ') || 'somebody whose name is not known here'

/** What another node is, and whose. `school`: its name, to be said of a laptop too; null where that is not known, or there is only one. */
export function whoseText({ side, kind, user }: Pick<SyncNode, 'side' | 'kind' | 'user'>, school: string | null): string {
  // Only a laptop has a parent that names somebody: what a school's server has joined is the centre, on whatever database it runs.
  if (side === 'parent') return `${kind === 'centre' || user === null ? 'the centre' : 'the school’s server'} that this one joined`
  if (kind === 'laptop') return `laptop of ${personName(user)}${school ? `, ${school}` : ''}`
  return `server of ${school ?? 'a school'}`
}

/** `outOf`: the maximum of a mark. `named`: by what people know the row of an id. */
type Of = { outOf: number | null; named: (column: string, id: string) => string | null }

/** Values by column as the app shows them: `81 / 100, Remark: Much better`; without ids and without what is empty, unless there is nothing else. */
export function valuesText(values: Readonly<Record<string, unknown>>, of: Of): string {
  const all = Object.entries(values)
  const own = all.filter(([, value]) => !(typeof value === 'string' && isId(value)))
  const filled = own.filter(([, value]) => value !== null && value !== false && value !== '')
  const shown = [filled, own, all].find((each) => each.length > 0) ?? []
  return shown
    .map(([column, value]) => {
      const text = valueText(column, value, of)
      return column === 'score' ? text : `${said(columns, column, 'Value')}: ${text}`
    })
    .join(', ')
}

function valueText(column: string, value: unknown, { outOf, named }: Of): string {
  if (value === null || value === undefined || value === '') return 'nothing'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return column === 'score' && outOf !== null ? `${value} / ${outOf}` : String(value)
  if (typeof value !== 'string') return JSON.stringify(value)
  return isId(value) ? (named(column, value) ?? value) : value
}
