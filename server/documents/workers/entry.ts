import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { WorkerOptions } from 'node:worker_threads'

/** What a worker begins with: the first two arguments of `new Worker`. */
export type WorkerEntry = { start: URL | string; options: Pick<WorkerOptions, 'eval' | 'execArgv'> }

/** Its own file beside the built program; from the sources it first needs the loader that they run with. */
export function workerEntry(): WorkerEntry {
  const here = import.meta.dirname
  if (!import.meta.filename.endsWith('.ts')) return { start: pathToFileURL(join(here, 'documents-worker.mjs')), options: { execArgv: [] } }
  // Asked for in this way tsx names the half that `require` gets.
  const loader = pathToFileURL(
    createRequire(import.meta.url)
      .resolve('tsx/esm/api')
      .replace(/\.cjs$/, '.mjs'),
  ).href
  const file = pathToFileURL(join(here, 'worker.ts')).href
  return { start: `import('${loader}').then(({ register }) => (register(), import('${file}')))`, options: { eval: true, execArgv: [] } }
}
