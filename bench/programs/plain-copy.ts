import Database from 'better-sqlite3'
import { openDatabase } from '../controls/bare.ts'
import { meter, type Round, serveCommands } from '../program.ts'

/**
 * The control of a first copy: inserts the same rows with their versions, read from the database `from` before the measurement, into the
 * empty database in `folder`, in one transaction.
 */
const [folder = '', from = ''] = process.argv.slice(2)
const source = new Database(`${from}/markbook.sqlite`, { readonly: true })
const target = openDatabase(folder)

const columnsOf = (table: string) => source.prepare('select name from pragma_table_info(?)').pluck().all(table) as string[]
/** Parents before children, as in the feed of a school. */
const tables = (process.argv[4] ?? '').split(',')
const copies = [...tables, 'sync_row'].map((table) => {
  const columns = columnsOf(table)
  const isOf = table === 'sync_row' ? ` where table_name in (${tables.map((name) => `'${name}'`)})` : ''
  const rows = source.prepare(`select ${columns} from ${table}${isOf} order by rowid`).raw().all() as unknown[][]
  return { rows, insert: target.prepare(`insert into ${table} (${columns}) values (${columns.map(() => '?')})`) }
})

function copy(): Round {
  const measured = meter()
  target.transaction(() => {
    for (const { rows, insert } of copies) for (const row of rows) insert.run(row)
  })()
  const spent = measured()
  return { ...spent, rows: target.prepare('select count(*) from grade').pluck().get() as number }
}

serveCommands({ copy })
