import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MANIFEST_FILE, type Manifest } from './manifest.ts'

export const writeManifest = (folder: string, manifest: Manifest): void =>
  writeFileSync(join(folder, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 })
