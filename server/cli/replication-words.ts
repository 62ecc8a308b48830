import type { SyncNode } from '@markbook/shared/contract/replication.rows'
import { fullName } from '@markbook/shared/domain/full-name'
import { isTechnical } from '@markbook/shared/domain/technical-columns'
import { isId } from '@markbook/shared/ids'
import columns from '@markbook/shared/words/en/columns.json' with { type: 'json' }
import records from '@markbook/shared/words/en/records.json' with { type: 'json' }

/** From the words of the app. */
export const { reason: reasons } = records

type Group = Readonly<Record<string, string>>
const said = (group: Group, code: string, other: string): string => (Object.hasOwn(group, code) ? (group[code] as string) : other)

export const entityName = (entity: string): string => said(records.entity, entity, records.entity.other)
/** The sentence for a code of refusal. `isHere`: this server refused the write; false: the other side did. */
export const whyRefused = (code: string, isHere: boolean): string => {
  const group = isHere ? records.refusalHere : records.refusal
  return said(group, code, group.other)
}

/** The name of a row: «Mark: Adeyemi Zoë · Christmas exam · Mathematics». */
export const rowName = ({ entity, where }: { entity: string; where: string }): string =>
  where ? `${entityName(entity)}: ${where}` : entityName(entity)

export const personName = (person: { first_name: string | null; last_name: string | null } | null): string =>
  person === null ? 'the service' : fullName(person) || 'somebody whose name is not known here'

/** What another node is, and the owner of a laptop. `school`: its name; null where unknown, or where there is only one. */
export function nodeOwnerText({ side, kind, user }: Pick<SyncNode, 'side' | 'kind' | 'user'>, school: string | null): string {
  // A laptop has a parent with a `user`; the parent of a school's server is the centre, whatever database it uses.
  if (side === 'parent') return `${kind === 'centre' || user === null ? 'the centre' : 'the school’s server'} that this one joined`
  if (kind === 'laptop') return `laptop of ${personName(user)}${school ? `, ${school}` : ''}`
  return `server of ${school ?? 'a school'}`
}

/** `outOf`: the maximum of a mark, null for none. `named`: the name of the row with an id. */
type Of = { outOf: number | null; named: (column: string, id: string) => string | null }

/**
 * The values by column as the app shows them: `81 / 100, Remark: Much better`. Leaves out ids, technical and empty values, unless nothing
 * else is left.
 */
export function valuesText(values: Readonly<Record<string, unknown>>, of: Of): string {
  const all = Object.entries(values)
  const own = all.filter(([, value]) => !(typeof value === 'string' && isId(value)))
  const filled = own.filter(([, value]) => value !== null && value !== false && value !== '')
  const plain = filled.filter(([column]) => !isTechnical(column))
  const shown = [plain, filled, own, all].find((each) => each.length > 0) ?? []
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
