import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Disk } from './check.disk.ts'
import type { FolderFound, Mount } from './check.folder.ts'

/** The folder itself, or the nearest one above it that is there. */
export function nearest(folder: string): string {
  let path = folder
  while (!existsSync(path) && dirname(path) !== path) path = dirname(path)
  return path
}

type Kept = { folder: string; holds: Disk['holds'][number] }

/** Each disk once, with all that it holds of ours. A folder that may not be looked at is left out. */
export async function lookAtDisks(kept: readonly Kept[]): Promise<Disk[]> {
  const disks = new Map<string, Disk>()
  for (const { folder, holds } of kept) {
    const path = nearest(folder)
    const device = String(statSync(path).dev)
    const known = disks.get(device)
    if (known) {
      disks.set(device, { ...known, holds: [...new Set([...known.holds, holds])] })
      continue
    }
    const { bavail, bsize, files, ffree } = await statfs(path)
    disks.set(device, { device, folder: path, holds: [holds], free: bavail * bsize, files: files > 0 ? ffree : null })
  }
  return [...disks.values()]
}

export function lookAtFolder(
  dataDir: string,
  { central, mounts = readMounts }: { central: boolean; mounts?: () => string | null },
): FolderFound {
  const there = nearest(dataDir)
  const real = dataDir.replace(there, realpathSync(there))
  return { path: real, above: namesAbove(realpathSync(there)), mount: mountOf(realpathSync(there), mounts()), central }
}

/** The names in this folder and in each above it, as far as this account may look. */
function namesAbove(folder: string): string[] {
  const names: string[] = []
  for (let path = folder; ; path = dirname(path)) {
    try {
      names.push(...readdirSync(path).filter((name) => name.startsWith('.')))
    } catch {}
    if (dirname(path) === path) return names
  }
}

const readMounts = (): string | null => {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8')
  } catch {
    return null
  }
}

/** Spaces and the like are written as octal numbers there. */
const plain = (text: string) => text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))

/** The mount that a path is below: the longest, and of equal ones the last, which lies on top. */
export function mountOf(path: string, mountinfo: string | null): Mount | null {
  let best: Mount | null = null
  for (const line of mountinfo?.split('\n') ?? []) {
    const [before = '', after = ''] = line.split(' - ')
    const point = plain(before.split(' ')[4] ?? '')
    const [type = '', source = ''] = after.split(' ')
    if (!point) continue
    const isAbove = path === point || path.startsWith(point.endsWith('/') ? point : `${point}/`)
    if (isAbove && point.length >= (best?.point.length ?? 0)) best = { point, type, source: plain(source) }
  }
  return best
}

/** Paths of what is in a folder under such a name; none where it may not be looked at. */
export const inFolder = (folder: string, pattern: RegExp): string[] => {
  try {
    return readdirSync(folder)
      .filter((name) => pattern.test(name))
      .map((name) => join(folder, name))
  } catch {
    return []
  }
}
