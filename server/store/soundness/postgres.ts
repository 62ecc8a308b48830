import { postgresTables } from '@markbook/shared/tables/postgres'
import type postgres from 'postgres'
import { postgresPlaceOf } from '../dialect.texts.ts'
import { appliedPostgres, standingOf } from '../migrate.ts'
import { withPostgres } from '../postgres.ts'
import { type Ask, type Damage, damageOfContents, NOTHING_WRITTEN, newestEntries, type Soundness, type Words } from './soundness.ts'

/** Reads a central database whole and changes nothing. The servers may go on working. */
export async function soundnessOfPostgres(url: string): Promise<Soundness> {
  try {
    return await withPostgres(url, read, { connect_timeout: 10, connection: { application_name: 'markbook doctor', TimeZone: 'UTC' } })
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string }
    // Class XX: the server found its own files damaged.
    if (/^XX/.test(code)) return { state: 'unreadable', detail: message }
    if (/^(28|3D|42501)/.test(code)) return { state: 'refused', detail: message }
    if (code !== '') return { state: 'unreachable', detail: message || code }
    throw error
  }
}

async function read(sql: postgres.Sql): Promise<Soundness> {
  const applied = await appliedPostgres(sql)
  if (applied.length === 0) return { state: 'absent' }
  const standing = standingOf(applied, 'postgres')
  const [about] = await sql`select pg_database_size(current_database()) as size,
      (select coalesce(sum(checksum_failures), 0) from pg_stat_database where datname = current_database()) as failures`
  const failures = Number(about?.['failures'])
  const damage: Damage[] = failures > 0 ? [{ kind: 'checksums', count: failures, detail: 'pg_stat_database.checksum_failures' }] : []
  const common = { state: 'read', standing, size: Number(about?.['size']), log: 0, unused: 0 } as const
  if (standing !== 'current') return { ...common, damage, newest: NOTHING_WRITTEN }
  const found = await contents(sql)
  return { ...common, damage: [...damage, ...found.damage], newest: found.newest }
}

const contents = (sql: postgres.Sql) =>
  sql.begin('isolation level repeatable read read only', async (tx) => {
    await tx`select set_config('role', 'markbook_system', true)`
    const ask: Ask = (text) => tx.unsafe<Record<string, unknown>[]>(text)
    // Every value of every row is read from the disk.
    for (const place of Object.keys(postgresTables).map(postgresPlaceOf)) await ask(`select max(length(t::text)) from ${place} t`)
    const contents = await damageOfContents(ask, WORDS, 'select school_id::text, seq::int, head from sync.sync_feed')
    return { damage: [...(await orphans(ask)), ...contents], newest: await newestEntries(ask, WORDS) }
  })

const instant = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
const WORDS: Words = {
  instant,
  placeOf: postgresPlaceOf,
  history: (school, from, to) =>
    `select id::text, ${instant('at')} as at, actor_id::text, node_id::text, entity, row_id::text,
       near_id::text, action, changes::text as changes, detail, seq::int as seq, head
     from sync.history where school_id = '${school}' and seq between ${from} and ${to} and node_id in (select id from sync.node) and source_id is null`,
}

type Reference = { child: string; parent: string; columns: string[]; parents: string[] }

/** PostgreSQL holds references itself; rows without their parents are damage, or somebody's hand. */
async function orphans(ask: Ask): Promise<Damage[]> {
  const references = (await ask(
    `select format('%I.%I', cn.nspname, c.relname) as child, format('%I.%I', pn.nspname, p.relname) as parent,
       array(select quote_ident(a.attname) from unnest(k.conkey) with ordinality as x(number, place)
         join pg_attribute a on a.attrelid = k.conrelid and a.attnum = x.number order by x.place) as columns,
       array(select quote_ident(a.attname) from unnest(k.confkey) with ordinality as x(number, place)
         join pg_attribute a on a.attrelid = k.confrelid and a.attnum = x.number order by x.place) as parents
     from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace cn on cn.oid = c.relnamespace
       join pg_class p on p.oid = k.confrelid join pg_namespace pn on pn.oid = p.relnamespace
     where k.contype = 'f' and cn.nspname not in ('pg_catalog', 'information_schema')`,
  )) as Reference[]
  const found: Damage[] = []
  for (const { child, parent, columns, parents } of references) {
    const on = columns.map((column, at) => `p.${parents[at]} = c.${column}`).join(' and ')
    const given = columns.map((column) => `c.${column} is not null`).join(' and ')
    const [row] = await ask(
      `select count(*) as count from ${child} c where ${given} and not exists (select 1 from ${parent} p where ${on})`,
    )
    const count = Number(row?.['count'])
    if (count > 0) found.push({ kind: 'orphans', count, detail: `${child} without its ${parent}` })
  }
  return found
}
