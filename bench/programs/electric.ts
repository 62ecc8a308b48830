import { isChangeMessage, isControlMessage, type Message, ShapeStream } from '@electric-sql/client'
import Database from 'better-sqlite3'
import { meter, type Round, serveCommands } from '../program.ts'

/**
 * A first copy of the marks by Electric's official client, from the server's shapes, into a SQLite table with a primary key and the index
 * by pupil. Without versions, which readers do not have, and without foreign keys, since shapes have no order between tables.
 */
const [folder = '', port = '', cookie = ''] = process.argv.slice(2)

function openTable(first: Record<string, unknown>) {
  const database = new Database(`${folder}/shape.sqlite`)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  const columns = Object.keys(first)
  database.exec(`create table grade (${columns}, primary key (id))`)
  database.exec('create unique index grade_once on grade (assessment_id, student_id)')
  database.exec('create index grade_student on grade (student_id, assessment_id, score, is_excluded)')
  const insert = database.prepare(`insert or replace into grade (${columns}) values (${columns.map(() => '?')})`)
  return database.transaction((rows: readonly Record<string, unknown>[]) => {
    for (const row of rows) insert.run(columns.map((column) => (typeof row[column] === 'boolean' ? Number(row[column]) : row[column])))
  })
}

function copied(): Promise<number> {
  const stream = new ShapeStream({ url: `http://127.0.0.1:${port}/v1/shape`, params: { table: 'grade' }, headers: { cookie } })
  let write: ReturnType<typeof openTable> | undefined
  let count = 0
  return new Promise((resolve, reject) => {
    const take = (messages: Message[]) => {
      const rows = messages.filter(isChangeMessage).map(({ value }) => value)
      if (rows[0]) write ??= openTable(rows[0])
      write?.(rows)
      count += rows.length
      if (messages.some((message) => isControlMessage(message) && message.headers.control === 'up-to-date')) resolve(count)
    }
    stream.subscribe(take, reject)
  })
}

serveCommands({
  copy: async (): Promise<Round> => {
    const measured = meter()
    const rows = await copied()
    return { ...measured(), rows }
  },
})
