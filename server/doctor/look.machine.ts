import { readFileSync, statSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { limits } from '@markbook/shared/limits'
import type { Leftovers, Memory } from './check.machine.ts'
import { inFolder } from './look.place.ts'

export function lookAtMemory(): Memory {
  const total = totalmem()
  // A container has less than its machine.
  const bound = process.constrainedMemory?.() ?? 0
  return { total: bound > 0 && bound < total ? bound : total, free: freeMemory() }
}

/** What programs can have without others being put aside, which is more than what is unused. */
function freeMemory(): number | null {
  try {
    const [, kilobytes] = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8')) ?? []
    return kilobytes ? Number(kilobytes) * 1_024 : null
  } catch {
    return null
  }
}

type Where = { dataDir: string; backupDir: string; backupCopyDir: string | null }

/** By their names; what is younger than an hour may still be written. */
export function lookAtLeftovers({ dataDir, backupDir, backupCopyDir }: Where, now: number): Leftovers {
  const paths = [
    ...inFolder(dataDir, /^markbook\.restoring\.sqlite/),
    ...[dataDir, join(dataDir, 'tls')].flatMap((folder) => inFolder(folder, /\.unfinished$/)),
    ...[backupDir, backupCopyDir ?? ''].filter(Boolean).flatMap((folder) => inFolder(folder, /^\.unfinished-/)),
  ]
  const old = paths.flatMap((path) => {
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats && now - stats.mtimeMs > limits.doctor.leftover ? [{ path, size: stats.size }] : []
  })
  return { paths: old.map(({ path }) => path), size: old.reduce((sum, { size }) => sum + size, 0) }
}
