import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Plugin } from 'vite'

const NAME = 'service-worker.js'
const PUBLIC = join(import.meta.dirname, '..', 'public')

/**
 * Builds the service worker, with the list of files that it stores: all except those of the prerendered sign-in pages. Adds its modules to
 * `modules`.
 */
export function serviceWorker(modules: Set<string>): Plugin {
  return {
    name: 'service-worker',
    apply: 'build',
    enforce: 'post',
    generateBundle: {
      // After the prerendered pages were written.
      order: 'post',
      async handler(_, bundle) {
        const asTheyAre = readdirSync(PUBLIC).map((name) => ({ url: `/${name}`, revision: digestOf(readFileSync(join(PUBLIC, name))) }))
        const kept = Object.values(bundle).filter(({ fileName }) => !/^sign-in\.|hydrate/.test(fileName) && fileName !== NAME)
        const files = kept.map((file) => ({
          url: `/${file.fileName}`,
          // The names of assets have a digest of their content.
          revision: file.fileName.startsWith('assets/') ? null : digestOf(file.type === 'chunk' ? file.code : file.source),
        }))
        this.emitFile({ type: 'asset', fileName: NAME, source: await workerWith([...files, ...asTheyAre], modules) })
      },
    },
  }
}

const digestOf = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex').slice(0, 16)

async function workerWith(files: readonly unknown[], modules: Set<string>): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    define: { FILES: JSON.stringify(files), 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      target: 'es2022',
      rolldownOptions: { input: join(import.meta.dirname, 'service-worker.ts'), output: { format: 'iife' } },
    },
  })
  const [result] = Array.isArray(built) ? built : [built]
  const [chunk] = result && 'output' in result ? result.output : []
  if (chunk?.type !== 'chunk') throw new Error('the service worker was not built')
  for (const id of chunk.moduleIds) modules.add(id)
  return chunk.code
}
