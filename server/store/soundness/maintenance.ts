import { join } from 'node:path'
import { openFile } from '../sqlite.file.ts'
import { DATABASE_FILE, takeLock } from '../sqlite.ts'

/** Brings the log of a school's database into its file; the server may go on working. Throws where others hold it back. */
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

/** Writes the file anew without what holds nothing. Throws while a server runs: it would wait all that time. */
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
