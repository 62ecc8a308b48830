import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { migratePostgres } from '@markbook/server/store/migrate'
import { withPostgres } from '@markbook/server/store/postgres'
import { startCluster } from '@markbook/server/testing/cluster'
import { buildProgram, programFile } from '@markbook/server/testing/program'

/**
 * Times `markbook doctor` at a centre: `node --import tsx bench/doctor.ts [--marks 10000000] [--deep] [--keep]`. Marks, versions and
 * history are made by SQL: 20,000 marks for each school, with texts as long as real ones (2 KB a mark) and ascending keys. The history has
 * no chain, so that the deep check reports breaks. `--keep`: keeps the database until Ctrl+C, and prints its address.
 */
const { values } = parseArgs({
  options: { marks: { type: 'string', default: '10000000' }, deep: { type: 'boolean' }, keep: { type: 'boolean' } },
})
const PER_SCHOOL = 20_000
const schools = Math.max(1, Math.round(Number(values.marks) / PER_SCHOOL))

const cluster = await startCluster([
  'max_connections=50',
  'shared_buffers=512MB',
  'random_page_cost=1.1',
  'timezone=UTC',
  'fsync=off',
  'max_wal_size=4GB',
])
const folder = mkdtempSync(join(tmpdir(), 'markbook-bench-doctor-'))
try {
  const url = Object.assign(new URL(cluster.url), { pathname: '/marks' }).href
  await withPostgres(cluster.url, (sql) => sql`create database marks`)
  await migratePostgres(url)
  await fill(url)
  buildProgram()
  await measure(url, ['doctor', '--quick'])
  if (values.deep) await measure(url, ['doctor'])
  if (values.keep) {
    console.log(`It is at ${url} until Ctrl+C.`)
    await new Promise((resolve) => process.once('SIGINT', resolve))
  }
} finally {
  await cluster.stop()
  rmSync(folder, { recursive: true, force: true })
}

/** Ascending keys, so that the indexes are built fast. */
function id(kind: number, number: string): string {
  return `('${kind}0000000-0000-4000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`
}

async function fill(url: string): Promise<void> {
  const began = performance.now()
  const node = "'90000000-0000-4000-8000-000000000001'::uuid"
  await withPostgres(url, async (sql) => {
    // Foreign keys are not checked while the tables are filled.
    await sql`set session_replication_role = replica`
    await sql.unsafe(`insert into sync.node (id, kind, created_at) values (${node}, 'centre', now())`)
    await sql.unsafe(`insert into public.school (id, name, school_type, is_active, created_at, updated_at)
      select ${id(1, 's')}, 'School ' || s, 'secondary', true, now(), now() from generate_series(1, ${schools}) s`)
    await sql.unsafe(`insert into sync.sync_feed (school_id, seq, head, floor)
      select ${id(1, 's')}, ${PER_SCHOOL}, '', 0 from generate_series(1, ${schools}) s`)
    for (let from = 1; from <= schools; from += 25) {
      const marks = `generate_series(${from}, ${Math.min(from + 24, schools)}) s, generate_series(1, ${PER_SCHOOL}) m`
      const [school, mark] = [id(1, 's'), id(4, `s::bigint * ${PER_SCHOOL} + m`)]
      const paper = id(2, 's::bigint * 100 + m / 500')
      await sql.unsafe(`insert into grading.grade (id, school_id, assessment_id, term_id, student_id, score, is_excluded, created_at, updated_at)
        select ${mark}, ${school}, ${paper}, ${id(3, 's')}, ${id(5, 'm')}, m % 100, false, now(), now() from ${marks}`)
      await sql.unsafe(`insert into sync.sync_row (school_id, table_name, row_id, seq, vv, units, deleted, schema, settled)
        select ${school}, 'grade', ${mark}, m, '{}', repeat('{"score":["90000000",1]}', 20), false, 1, false from ${marks}`)
      await sql.unsafe(`insert into sync.history (id, school_id, seq, node_seq, at, node_id, entity, row_id, near_id, action, changes, head)
        select ${mark}, ${school}, m, m, now(), ${node}, 'grade', ${mark}, ${paper}, 'create', repeat('{"after":{"score":71}}', 15), '' from ${marks}`)
      process.stderr.write(`\r${from + 24} of ${schools} schools, ${Math.round((performance.now() - began) / 1_000)} s `)
    }
    await sql`analyze`
    const [row] = await sql`select pg_size_pretty(pg_database_size(current_database())) as size`
    console.log(`\n${(schools * PER_SCHOOL).toLocaleString('en')} marks of ${schools} schools, ${row?.['size']}`)
  })
}

async function measure(url: string, args: readonly string[]): Promise<void> {
  const began = performance.now()
  const env = { PATH: process.env['PATH'] ?? '', MARKBOOK_CONFIG: '/dev/null', DATA_DIR: folder, DATABASE_URL: url, BACKUPS: 'false' }
  const child = spawn(process.execPath, [programFile, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', (part) => {
    text += part
  })
  await new Promise((resolve) => child.once('close', resolve))
  const about = text.split('\n').filter((line) => /database|history/i.test(line))
  console.log(`markbook ${args.join(' ')}: ${((performance.now() - began) / 1_000).toFixed(1)} s\n${about.join('\n')}`)
}
