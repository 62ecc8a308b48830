import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { WorkerOptions } from 'node:worker_threads'

/** The first two arguments of `new Worker`. */
export type WorkerEntry = { start: URL | string; options: Pick<WorkerOptions, 'eval' | 'execArgv'> }

/** A file of its own beside the built program; from the sources, the tsx loader must be loaded first. */
export function workerEntry(): WorkerEntry {
  const here = import.meta.dirname
  if (!import.meta.filename.endsWith('.ts')) return { start: pathToFileURL(join(here, 'documents-worker.mjs')), options: { execArgv: [] } }
  // Resolved in this way, tsx names its CommonJS half.
  const loader = pathToFileURL(
    createRequire(import.meta.url)
      .resolve('tsx/esm/api')
      .replace(/\.cjs$/, '.mjs'),
  ).href
  const file = pathToFileURL(join(here, 'worker.ts')).href
  return { start: `import('${loader}').then(({ register }) => (register(), import('${file}')))`, options: { eval: true, execArgv: [] } }
}
