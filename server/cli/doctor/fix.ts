import { chmodSync, existsSync, lchownSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { systemClock } from '@markbook/shared/clock'
import { certificatesHere } from '../../lan/tls.ts'
import { takeTurn } from '../../store/backup/folder.ts'
import { placeOf } from '../../store/backup/place.ts'
import { takeBackup } from '../../store/backup/take.ts'
import { checkpointLog, vacuum } from '../../store/soundness/maintenance.ts'
import type { Examined } from './examine.ts'
import { type Finding, type FixName, fixNames } from './finding.ts'
import { lookAtLeftovers } from './leftovers.ts'
import { lookAtRights } from './rights.ts'

/**
 * `will`: a sentence about what the fix will do, printed before. `run`: does it, and returns a sentence about what was done; throws where
 * it cannot.
 */
type Fix = { will: (config: Examined) => string; run: (config: Examined) => Promise<string> | string }

const fixes: Record<FixName, Fix> = {
  rights: {
    will: ({ dataDir }) => `Close ${dataDir} to other accounts, and give what is in it to the owner of the folder.`,
    run: closeFolder,
  },
  leftovers: { will: () => 'Remove the unfinished files and folders.', run: removeLeftovers },
  log: { will: () => 'Bring what waits beside the database into it.', run: ({ dataDir }) => checkpointLog(dataDir) },
  room: { will: () => 'Write the database anew without its empty room.', run: ({ dataDir }) => vacuum(dataDir) },
  'copy-folder': { will: ({ backupCopyDir }) => `Make the folder ${backupCopyDir}.`, run: makeCopyFolder },
  certificate: { will: () => 'Make a new certificate for this server from the authority of this school.', run: renewCertificate },
  backup: { will: ({ backupDir }) => `Make a backup in ${backupDir} and verify it.`, run: backUp },
}

/** The fixes of these findings, each once, in an order in which an earlier one does not prevent a later one. */
export const fixesFor = (findings: readonly Finding[]): FixName[] => {
  const wanted = new Set(findings.map((finding) => ('fix' in finding ? finding.fix : undefined)))
  return fixNames.filter((name) => wanted.has(name))
}

export const willDo = (name: FixName, config: Examined): string => fixes[name].will(config)

/** Runs a fix. `says`: what was done, or why it could not be done. */
export async function carryOut(name: FixName, config: Examined): Promise<{ done: boolean; says: string }> {
  try {
    return { done: true, says: await fixes[name].run(config) }
  } catch (error) {
    return { done: false, says: (error as Error).message }
  }
}

function closeFolder(config: Examined): string {
  const found = lookAtRights(config)
  if (!found) return 'There was nothing to close.'
  const isRoot = found.account === 0
  for (const { path, mode, uid } of found.entries) {
    if (isRoot && uid !== found.owner) lchownSync(path, found.owner, statSync(config.dataDir).gid)
    const owned = statSync(path).isDirectory() ? mode | 0o700 : mode | 0o600
    chmodSync(path, owned & 0o700)
  }
  return `Closed ${found.entries.length} files and folders to everybody but ${found.ownerName}.`
}

/** Holds the lock of backups, so that no backup is being written. */
async function removeLeftovers(config: Examined): Promise<string> {
  const done = await takeTurn(config.backupDir)
  try {
    const { paths } = lookAtLeftovers(config, systemClock.now())
    for (const path of paths) rmSync(path, { recursive: true, force: true })
    return `Removed ${paths.join(', ')}.`
  } finally {
    done()
  }
}

/** Makes the folder only where its parent folder exists. Otherwise the disk is probably not mounted, and the new folder would hide that. */
function makeCopyFolder({ backupCopyDir }: Examined): string {
  if (!backupCopyDir) return 'No second folder is set.'
  if (!existsSync(dirname(backupCopyDir))) throw new Error(`${dirname(backupCopyDir)} is not there either: plug in the disk first.`)
  mkdirSync(backupCopyDir, { mode: 0o700 })
  return `Made ${backupCopyDir}.`
}

async function renewCertificate(config: Examined): Promise<string> {
  const { notes } = await certificatesHere(config, { now: systemClock.now(), anew: true })
  return notes.join(' ')
}

async function backUp(config: Examined): Promise<string> {
  const { backup, warnings } = await takeBackup(placeOf(config), { reason: 'manual' })
  return [`Backed up and verified: ${backup.path}`, ...warnings].join('\n')
}
