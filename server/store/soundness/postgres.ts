import { limits } from '@markbook/shared/limits'
import { postgresTables } from '@markbook/shared/tables/postgres'
import type postgres from 'postgres'
import { codeOf } from '../../error-code.ts'
import { postgresPlaceOf } from '../dialect.texts.ts'
import { appliedPostgres, standingOf } from '../migrate.ts'
import { withPostgres } from '../postgres.ts'
import {
  type Ask,
  type CheckOptions,
  type Damage,
  NOTHING_WRITTEN,
  readContents,
  readLatest,
  type Slice,
  type Soundness,
  type Words,
} from './soundness.ts'

/** Reads a central database, all of it unless `quick`, and changes nothing. The servers may run meanwhile. */
export async function soundnessOfPostgres(url: string, looking: CheckOptions): Promise<Soundness> {
  try {
    const connection = { application_name: 'markbook doctor', TimeZone: 'UTC' }
    return await withPostgres(url, (sql) => read(sql, looking), { connect_timeout: 10, connection })
  } catch (error) {
    const [code, { message }] = [codeOf(error), error as Error]
    // SQLSTATE class XX: the server found its own files damaged.
    if (/^XX/.test(code)) return { state: 'unreadable', detail: message }
    if (/^(28|3D|42501)/.test(code)) return { state: 'refused', detail: message }
    if (code !== '') return { state: 'unreachable', detail: message || code }
    throw error
  }
}

async function read(sql: postgres.Sql, { quick, tell }: CheckOptions): Promise<Soundness> {
  // A standby after a failover, or a database that was set so: everything can be read, and no mark saved.
  const [mode] = await sql`select current_setting('transaction_read_only') as is_read_only`
  if (mode?.['is_read_only'] === 'on') return { state: 'read-only', detail: 'transaction_read_only' }
  const applied = await appliedPostgres(sql)
  if (applied.length === 0) return { state: 'absent', isForbidden: !(await mayPrepare(sql)) }
  const standing = standingOf(applied, 'postgres')
  const [about] = await sql`select pg_database_size(current_database()) as size, current_setting('server_version_num')::int as version,
      (select coalesce(sum(checksum_failures), 0) from pg_stat_database where datname = current_database()) as failures,
      (select reltuples from pg_class where oid = to_regclass('grading.grade')) as marks`
  const failures = Number(about?.['failures'])
  const damage: Damage[] = failures > 0 ? [{ kind: 'checksums', count: failures, detail: 'pg_stat_database.checksum_failures' }] : []
  // The planner's estimate is -1 for a table that was never analysed.
  const marks = Number(about?.['marks'] ?? -1)
  const common = {
    state: 'read',
    standing,
    size: Number(about?.['size']),
    log: 0,
    unused: 0,
    isWhole: !quick,
    marks: marks < 0 ? null : marks,
  } as const
  if (standing !== 'current') return { ...common, damage, newest: NOTHING_WRITTEN }
  const version = Number(about?.['version'])
  const slice = slicesOf(sql, version)
  if (quick) return { ...common, damage, newest: await readLatest(slice, WORDS) }
  await readRows(slice, version, tell)
  const orphans = await orphansIn(slice, version, tell)
  const contents = await readContents(slice, WORDS, tell)
  return { ...common, damage: [...damage, ...orphans, ...contents.damage], newest: contents.newest }
}

/** Whether a start may make schemas, tables and, once for all databases of the server, the roles (`policies.ts`). */
async function mayPrepare(sql: postgres.Sql): Promise<boolean> {
  const [may] =
    await sql`select has_database_privilege(current_database(), 'CREATE') and has_schema_privilege('public', 'CREATE') as tables,
      (select rolsuper or rolcreaterole from pg_roles where rolname = current_user)
        or (select count(*) from pg_roles where rolname in ('markbook_app', 'markbook_system') and pg_has_role(oid, 'member')) = 2 as roles`
  return may?.['tables'] === true && may['roles'] === true
}

/**
 * Each slice is a transaction, so that rows which the servers delete can be cleaned up soon. An abandoned statement ends by itself:
 * PostgreSQL 14 and later check every second whether the client is connected.
 */
function slicesOf(sql: postgres.Sql, version: number): Slice {
  const settings = [
    "set_config('role', 'markbook_system', true)",
    `set_config('statement_timeout', '${limits.doctor.statementTimeoutMs}', true)`,
    ...(version >= 140_000 ? ["set_config('client_connection_check_interval', '1000', true)"] : []),
  ]
  return <T>(work: (ask: Ask) => Promise<T>) =>
    sql.begin('isolation level repeatable read read only', async (tx) => {
      await tx.unsafe(`select ${settings}`)
      return work((text) => tx.unsafe<Record<string, unknown>[]>(text))
    }) as Promise<T>
}

/** Blocks of a table that are read at once: 64 MB. */
const BLOCKS = 8_192
const BLOCK_BYTES = 8_192

/** Conditions on a table `t`, one for each part. Before version 14 the database cannot scan a range of ctid, so a table is one part. */
async function partsOf(slice: Slice, place: string, version: number): Promise<string[]> {
  if (version < 140_000) return ['true']
  const [row] = await slice((ask) => ask(`select pg_relation_size(to_regclass('${place}')) as size`))
  const count = Math.max(1, Math.ceil(Number(row?.['size']) / BLOCK_BYTES / BLOCKS))
  // The last part has no end, since rows may be added meanwhile.
  const end = (part: number) => (part + 1 < count ? ` and t.ctid < '(${(part + 1) * BLOCKS},0)'` : '')
  return Array.from({ length: count }, (_, part) => `t.ctid >= '(${part * BLOCKS},0)'${end(part)}`)
}

/** Reads every value of every row from the disk. */
async function readRows(slice: Slice, version: number, tell: CheckOptions['tell']): Promise<void> {
  for (const place of Object.keys(postgresTables).map(postgresPlaceOf)) {
    const parts = await partsOf(slice, place, version)
    for (const [at, part] of parts.entries()) {
      tell(`the rows of ${place}, part ${at + 1} of ${parts.length}`)
      await slice((ask) => ask(`select max(length(t::text)) from ${place} t where ${part}`))
    }
  }
}

const instant = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
const WORDS: Words = {
  instant,
  placeOf: postgresPlaceOf,
  history: (school, from, to) =>
    `select id::text, ${instant('at')} as at, actor_id::text, node_id::text, entity, row_id::text,
       near_id::text, action, changes::text as changes, detail, seq::int as seq, head
     from sync.history where school_id = '${school}' and seq between ${from} and ${to} and node_id in (select id from sync.node) and source_id is null`,
  latest: `select h.node, ${instant('h.at')} as at, h.source from sync.sync_feed f cross join lateral (
      select node_id::text as node, at, source_id::text as source from sync.history where school_id = f.school_id order by seq desc limit 20) h`,
}

type Reference = { child: string; parent: string; columns: string[]; parents: string[] }

/** PostgreSQL enforces references itself, so a row without its parent means damage, or a manual change. */
async function orphansIn(slice: Slice, version: number, tell: CheckOptions['tell']): Promise<Damage[]> {
  const references = (await slice((ask) =>
    ask(
      `select format('%I.%I', cn.nspname, c.relname) as child, format('%I.%I', pn.nspname, p.relname) as parent,
       array(select quote_ident(a.attname) from unnest(k.conkey) with ordinality as x(number, place)
         join pg_attribute a on a.attrelid = k.conrelid and a.attnum = x.number order by x.place) as columns,
       array(select quote_ident(a.attname) from unnest(k.confkey) with ordinality as x(number, place)
         join pg_attribute a on a.attrelid = k.confrelid and a.attnum = x.number order by x.place) as parents
     from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace cn on cn.oid = c.relnamespace
       join pg_class p on p.oid = k.confrelid join pg_namespace pn on pn.oid = p.relnamespace
     where k.contype = 'f' and cn.nspname not in ('pg_catalog', 'information_schema')`,
    ),
  )) as Reference[]
  const found: Damage[] = []
  for (const { child, parent, columns, parents } of references) {
    const on = columns.map((column, at) => `p.${parents[at]} = t.${column}`).join(' and ')
    const given = columns.map((column) => `t.${column} is not null`).join(' and ')
    let count = 0
    const parts = await partsOf(slice, child, version)
    for (const [at, part] of parts.entries()) {
      tell(`what the rows of ${child} belong to, part ${at + 1} of ${parts.length}`)
      const [row] = await slice((ask) =>
        ask(`select count(*) as count from ${child} t where ${part} and ${given} and not exists (select 1 from ${parent} p where ${on})`),
      )
      count += Number(row?.['count'])
    }
    if (count > 0) found.push({ kind: 'orphans', count, detail: `${child} without its ${parent}` })
  }
  return found
}
