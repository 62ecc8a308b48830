import { ConfigError } from '../config.ts'

type Known = { code?: string; port?: number; message?: string }

/** One line for a person; what is unexpected keeps its trace. */
export function explain(error: unknown): string {
  const { code, port, message } = error as Known
  if (code === 'EADDRINUSE') return `Port ${port} is taken by another program. Stop it, or choose another with PORT=3001.`
  if (code === 'EACCES') return `This account may not use that port or folder: ${message}`
  if (code === 'ECONNREFUSED') return 'The database of DATABASE_URL does not answer. Is PostgreSQL running there?'
  if (error instanceof ConfigError) return error.message
  return error instanceof Error && !('code' in error) ? error.message : String((error as Error).stack ?? error)
}
