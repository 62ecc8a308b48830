import { join } from 'node:path'
import { openFile } from '../sqlite.file.ts'
import { DATABASE_FILE, takeLock } from '../sqlite.ts'

/** Runs a checkpoint of the WAL into a school's database file; the server may run meanwhile. Throws where other connections prevent it. */
export function checkpointLog(folder: string): string {
  const connection = openFile(join(folder, DATABASE_FILE), { fileMustExist: true, timeout: 10_000 })
  try {
    const [result] = connection.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
    if (result?.busy) throw new Error('The database is busy: somebody has read in it for long. Try again, or stop the server first.')
    return 'Brought what waited beside the database into it.'
  } finally {
    connection.close()
  }
}

/** Rewrites the file without unused pages. Throws while a server runs, which would have to wait for it. */
export function vacuum(folder: string): string {
  const lock = takeLock(join(folder, 'server.lock'))
  if (!lock) throw new Error('The server is running. Stop it first, then run this again.')
  try {
    const connection = openFile(join(folder, DATABASE_FILE), { fileMustExist: true, timeout: 10_000 })
    try {
      connection.exec('vacuum')
    } finally {
      connection.close()
    }
    return 'Wrote the database anew without its empty room.'
  } finally {
    lock.close()
  }
}
