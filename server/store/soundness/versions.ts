import { COMMONS } from '@markbook/shared/ids'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import type { Ask, Damage } from './soundness.ts'

const schoolOf = (table: Replicated) => ({ school: 'r.school_id', self: 'r.id', commons: `'${COMMONS}'` })[descriptions[table].scope]

/**
 * Every row has its version, and every version its row, but for what a rule between rows keeps or leaves out: without that other nodes
 * would never hear of a mark, or hear of one that is gone.
 */
export async function versionDamage(ask: Ask, placeOf: (table: string) => string): Promise<Damage[]> {
  const versions = placeOf('sync_row')
  const found: Damage[] = []
  for (const table of Object.keys(descriptions) as Replicated[]) {
    const on = `s.school_id = ${schoolOf(table)} and s.table_name = '${table}' and s.row_id = r.id`
    const [without] = await ask(
      `select count(*) as count from ${placeOf(table)} r left join ${versions} s on ${on} and (s.settled or not s.deleted) where s.row_id is null`,
    )
    const [left] = await ask(
      `select count(*) as count from ${versions} s left join ${placeOf(table)} r on ${on}
       where s.table_name = '${table}' and not s.deleted and not s.settled and r.id is null`,
    )
    const count = Number(without?.['count']) + Number(left?.['count'])
    if (count > 0)
      found.push({ kind: 'versions', count, detail: `${table}: ${without?.['count']} without a version, ${left?.['count']} lost` })
  }
  return found
}
