import { performance } from 'node:perf_hooks'
import Database from 'better-sqlite3'
import { openDatabase } from '../controls/bare.ts'
import type { Round } from './child.ts'

/**
 * The control of a first copy: the same rows of the same tables with their versions, as they stand in `from`, at hand before anything is
 * counted, into the empty database in `folder`, in one transaction.
 */
const [folder = '', from = ''] = process.argv.slice(2)
const source = new Database(`${from}/markbook.sqlite`, { readonly: true })
const target = openDatabase(folder)

const columnsOf = (table: string) => source.prepare('select name from pragma_table_info(?)').pluck().all(table) as string[]
/** Parents before children, as the feed of a school has them. */
const tables = (process.argv[4] ?? '').split(',')
const held = [...tables, 'sync_row'].map((table) => {
  const columns = columnsOf(table)
  const isOf = table === 'sync_row' ? ` where table_name in (${tables.map((name) => `'${name}'`)})` : ''
  const rows = source.prepare(`select ${columns} from ${table}${isOf} order by rowid`).raw().all() as unknown[][]
  return { rows, insert: target.prepare(`insert into ${table} (${columns}) values (${columns.map(() => '?')})`) }
})

process.on('message', (asked: { rounds?: number }) => {
  if (!asked.rounds) return
  const [cpu, started] = [process.cpuUsage(), performance.now()]
  target.transaction(() => {
    for (const { rows, insert } of held) for (const row of rows) insert.run(row)
  })()
  const { user, system } = process.cpuUsage(cpu)
  const ms = performance.now() - started
  const rows = target.prepare('select count(*) from grade').pluck().get() as number
  process.send?.({ round: { cpuMicros: user + system, ms, rows } satisfies Round })
})
process.send?.({ port: 0 })
