import { Failure } from '@markbook/shared/failures'
import { CommanderError } from 'commander'
import { ConfigError } from '../config.ts'
import { LineFailure } from '../replication/line/parent-line.ts'

type SystemError = {
  code?: string
  port?: number
  address?: string
  message?: string
  path?: string
  syscall?: string
  cause?: SystemError
}

/** The path that was typed: `atomic-write.ts` writes to a temporary name first. Errors of reading have no path. */
const place = (path: string | undefined) => path?.replace(/\.unfinished$/, '') ?? 'What was named'

const mayNot = ({ path, port, message }: SystemError) =>
  path === undefined
    ? port === undefined
      ? `This account may not use that port or folder: ${message}`
      : `This account may not listen at port ${port}, as most may at none below 1024. Choose another with PORT=3000.`
    : `This account may not use ${place(path)}. Use sudo, or run this as the account of the server.`

/** By the error code of the operating system, SQLite or PostgreSQL: a sentence that says what to do. */
const sentences: Record<string, (error: SystemError) => string> = {
  EADDRINUSE: ({ port }) =>
    `Port ${port} is taken by another program, or by a Markbook on another folder. Stop it, or choose another with PORT=3001.`,
  EADDRNOTAVAIL: ({ address }) => `This machine has no address ${address}. Check HOST.`,
  ENOTFOUND: () => 'The machine named in DATABASE_URL or HOST cannot be found.',
  EAI_AGAIN: () => 'The machine named in DATABASE_URL or HOST cannot be found.',
  EACCES: mayNot,
  EPERM: mayNot,
  EROFS: ({ path }) => `${place(path)} cannot be written: its disk or stick can only be read.`,
  ENOENT: ({ path }) => `There is no ${place(path)}. Is the path right, and the disk or stick there?`,
  ENOTDIR: ({ path }) => `${place(path)} cannot be reached: a part of that path is a file, where a folder must be.`,
  EISDIR: ({ path }) => `${place(path)} is a folder, where a file must be.`,
  EEXIST: ({ path, syscall }) =>
    syscall === 'mkdir' ? `${place(path)} is a file, where a folder must be.` : `${place(path)} is there already.`,
  ENOSPC: () => 'The disk is full.',
  SQLITE_NOTADB: () =>
    'The file markbook.sqlite in DATA_DIR is not a database of Markbook, or it is damaged. Nothing was changed. What to do: markbook doctor',
  SQLITE_CORRUPT: () => 'The database in DATA_DIR is damaged. Nothing was changed. What to do: markbook doctor',
  SQLITE_CANTOPEN: () => 'The database in DATA_DIR cannot be opened: this account may not read and write it. What to do: markbook doctor',
  SQLITE_FULL: () => 'The disk is full.',
  SQLITE_IOERR_SHMSIZE: () => 'The disk is full.',
  SQLITE_IOERR_WRITE: () => 'The disk of DATA_DIR is full, or does not take what is written.',
  ECONNREFUSED: () => 'The database of DATABASE_URL does not answer. Is PostgreSQL running there?',
  NO_ANSWER: () => 'The database of DATABASE_URL does not answer any more. Try again when PostgreSQL does.',
  CONNECT_TIMEOUT: () => 'The database of DATABASE_URL does not answer. Is PostgreSQL running there?',
  '3D000': ({ message }) => `The database of DATABASE_URL must be made first: ${message}.`,
  '28P01': () => 'PostgreSQL refuses the user or the password of DATABASE_URL.',
  '25006': () =>
    'PostgreSQL lets the database of DATABASE_URL only be read: it is a standby, or was set so. Name the server that writes, or let this one write again.',
  '53100': () => 'The disk of PostgreSQL is full. What was saved is there. Make room on it, and do this again.',
  '28000': () => 'PostgreSQL refuses the user or the password of DATABASE_URL.',
  '42501': ({ message }) =>
    `The user of DATABASE_URL may not prepare the database (${message}). It must own the database and have CREATEROLE: alter role … createrole.`,
}

/** An error as one line for a person; an unknown error as its stack. */
export function explain(error: unknown): string {
  if (error instanceof ConfigError || error instanceof Failure || error instanceof CommanderError) return error.message
  if (error instanceof LineFailure) return error.code === 'line' ? `The other server cannot be reached: ${error.message}` : error.message
  const known = error as SystemError
  for (const { code, ...rest } of [known, known.cause ?? {}].map((one) => ({ ...one, code: one.code, message: one.message }))) {
    const sentence = code === undefined ? undefined : sentences[code]
    if (sentence) return sentence(rest)
  }
  return error instanceof Error && known.code === undefined && !known.cause ? error.message : String((error as Error).stack ?? error)
}
