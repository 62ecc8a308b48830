import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { contractPlugin } from './api/contract-plugin.ts'
import { bundledPackages } from './bundled-packages.ts'
import { prerender } from './prerender/plugin.ts'
import { wordsPlugin } from './words/plugin.ts'
import { serviceWorker } from './worker/plugin.ts'

const server = process.env['MARKBOOK_SERVER'] ?? 'http://localhost:3000'

const own = () => [react(), contractPlugin(), wordsPlugin()]

/** Modules of the service worker, which has a build of its own. */
const workerModules = new Set<string>()
const root = join(import.meta.dirname, '..', '..')
const packages = bundledPackages({ root, file: join(root, 'dist', 'app-packages.json'), also: workerModules })

export default defineConfig({
  root: import.meta.dirname,
  plugins: [...own(), prerender(own), serviceWorker(workerModules), packages],
  build: {
    outDir: '../../dist/app',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
    modulePreload: { polyfill: false },
    // This output is seen by people who start a server for the first time.
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  server: { proxy: Object.fromEntries(['/api', '/v1', '/storage'].map((path) => [path, { target: server, changeOrigin: false }])) },
})
