import { statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { limits } from '@markbook/shared/limits'
import { bytes } from '../words.ts'
import { type Finding, fine, notice, problem } from './finding.ts'
import { nearest } from './paths.ts'

/** A disk with folders of Markbook; sizes in bytes. `files`: how many more files fit, null where the file system has no such limit. */
export type Disk = {
  device: string
  folder: string
  holds: readonly ('marks' | 'backups' | 'copies')[]
  free: number
  files: number | null
}

const { fullDiskBytes, lowDiskBytes } = limits.doctor

const MEANS = {
  marks: 'When it is full, no mark can be saved until there is room again; what was saved stays.',
  backups: 'When it is full, no new backups are made, and the marks since the last one are nowhere else.',
  copies: 'When it is full, backups are no longer copied there, and die with the disk of the server.',
}
const NAMES = { marks: 'the marks', backups: 'the backups', copies: 'the copies of the backups' }

export const checkDisks = (disks: readonly Disk[]): Finding[] => disks.flatMap(checkDisk)

function checkDisk({ folder, holds, free, files }: Disk): Finding[] {
  const [first = 'marks'] = holds
  const named = `The disk of ${holds.map((what) => NAMES[what]).join(' and ')} (${folder})`
  const trouble = {
    means: MEANS[first],
    do: 'Delete or move what is not needed there (not in the folder of the marks), or use a larger disk.',
  }
  if (files !== null && files < limits.doctor.lowFreeFiles)
    return problem('disk', { what: `${named} takes only ${files} more files, although it may have room.`, ...trouble })
  if (free < fullDiskBytes) return problem('disk', { what: `${named} is nearly full: ${bytes(free)} are free.`, ...trouble })
  if (free < lowDiskBytes) return notice('disk', { what: `${named} has little room left: ${bytes(free)} are free.`, ...trouble })
  return fine('disk', `${named} has ${bytes(free)} free.`)
}

/** Each disk once, with what it holds of Markbook. A folder that this account may not read is left out. */
export async function lookAtDisks(kept: readonly { folder: string; holds: Disk['holds'][number] }[]): Promise<Disk[]> {
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
