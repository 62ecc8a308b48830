import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { orNull } from '../../or-null.ts'
import { type Finding, fine, notice, problem } from './finding.ts'
import { nearest } from './paths.ts'

/**
 * The place of the data folder. `path`: with all links resolved; `above`: the names of the files in it and in each folder above it;
 * `mount`: the file system of the path, null where unknown.
 */
export type FolderFound = { path: string; above: readonly string[]; mount: Mount | null; central: boolean }
export type Mount = { point: string; type: string; source: string }

/** Programs that copy folders to a cloud or to other machines, by the usual names of their folders. */
const SYNC_FOLDERS: [string, RegExp][] = [
  ['OneDrive', /^OneDrive(?: ?[-–].+)?$|^SkyDrive$/i],
  ['Dropbox', /^Dropbox(?: ?\(.+\))?$/i],
  ['Google Drive', /^(?:Google ?Drive.*|GoogleDrive-.+|My Drive|Meine Ablage|Mon Drive|DriveFS)$/i],
  ['iCloud Drive', /^(?:iCloud ?Drive.*|com~apple~CloudDocs|Mobile Documents)$/i],
  ['Nextcloud', /^Nextcloud\d*$/i],
  ['ownCloud', /^ownCloud\d*$/i],
  ['Syncthing', /^Syncthing$/i],
  ['Box', /^Box(?: Sync)?$|^Box-Box$/],
  ['MEGA', /^MEGA(?:sync.*)?$/],
  ['pCloud', /^pCloud ?Drive$/i],
  ['Proton Drive', /^Proton ?Drive.*$/i],
  ['Seafile', /^Seafile$/i],
  ['Resilio Sync', /^(?:Resilio|BitTorrent) ?Sync$/i],
  ['Tresorit', /^Tresorit(?: Drive)?$/i],
  ['Yandex.Disk', /^Yandex\.Disk.*$/i],
  ['a cloud service', /^CloudStorage$/],
]

/** The same programs, by the files that they leave in the folders that they copy. */
const SYNC_MARKERS: [string, RegExp][] = [
  ['Dropbox', /^\.dropbox(?:\.cache|\.device)?$/],
  ['Google Drive', /^\.tmp\.drive(?:down|up)load$/],
  ['OneDrive', /^\.849C9593-D756-4E56-8D6E-42412F2A707B$|^\.OneDrive.*$/i],
  ['Nextcloud', /^\.(?:sync_[0-9a-f]+\.db|nextcloudsync\.log|sync-exclude\.lst)$/],
  ['ownCloud', /^\.(?:_sync_[0-9a-f]+\.db|owncloudsync\.log|csync_journal\.db)$/],
  ['Syncthing', /^\.st(?:folder|versions|ignore)$/],
  ['Resilio Sync', /^\.sync$/],
  ['Seafile', /^\.seafile-data$/],
  ['MEGA', /^\.megaignore$/],
]

const NETWORK =
  /^(?:nfs\d?|cifs|smb\d?|smbfs|9p|afs|ceph|glusterfs|lustre|ncpfs|davfs|vboxsf|prl_fs|fuse\.(?:sshfs|rclone|davfs2?|gvfsd-fuse|glusterfs|s3fs|gcsfuse|smbnetfs|curlftpfs|vmhgfs-fuse|mount\.davfs))$/
const WITHOUT_RIGHTS = /^(?:vfat|exfat|msdos|fuseblk|ntfs3?)$/

/** The names in a path of Windows or of another system. */
const partsOf = (path: string) => path.split(/[\\/]+/).filter(Boolean)

/** The cloud service whose folder this is in, by names of folders and files; null where none is recognised. */
export function syncServiceOf({ path, above }: Pick<FolderFound, 'path' | 'above'>): string | null {
  // The deepest match is the most exact: ~/Library/CloudStorage/Dropbox.
  for (const part of partsOf(path).reverse()) for (const [service, pattern] of SYNC_FOLDERS) if (pattern.test(part)) return service
  for (const name of above) for (const [service, pattern] of SYNC_MARKERS) if (pattern.test(name)) return service
  return null
}

/** The network share that a folder is on; null for a local disk. */
export function shareOf({ path, mount }: Pick<FolderFound, 'path' | 'mount'>): string | null {
  // \\server\share; but \\?\C:\ and \\.\ are local paths.
  const [, server, share] = /^\\\\(?![?.]\\)([^\\]+)\\([^\\]+)/.exec(path) ?? /^\\\\\?\\UNC\\([^\\]+)\\([^\\]+)/i.exec(path) ?? []
  if (server) return `\\\\${server}\\${share}`
  return mount && NETWORK.test(mount.type) ? `${mount.source} (${mount.type})` : null
}

export function checkFolder(found: FolderFound): Finding[] {
  const { path, mount, central } = found
  const move = 'Stop the server, move the folder to a disk of this machine, and name its new place in DATA_DIR.'
  const loss = central ? 'The secret and the files of this server can be lost or seen by others; the marks are in PostgreSQL.' : null
  const service = syncServiceOf(found)
  if (service)
    return problem('folder', {
      what: `The data folder ${path} is inside a folder of ${service}.`,
      means:
        loss ??
        'Such a program copies and replaces the database while it is being written, which damages it; and it carries the marks of children to others.',
      do: `${move} For backups in two places set BACKUP_COPY_DIR.`,
    })
  const share = shareOf(found)
  if (share)
    return problem('folder', {
      what: `The data folder ${path} is on a network share: ${share}.`,
      means: loss ?? 'A database on a share is damaged when the network is interrupted, or when two machines use it.',
      do: move,
    })
  if (mount && WITHOUT_RIGHTS.test(mount.type))
    return notice('folder', {
      what: `The data folder ${path} is on a disk (${mount.type}) that knows no owners.`,
      means: 'Every account of this machine can read the marks, and a power cut does more harm than on other disks.',
      do: move,
    })
  return fine('folder', `The data folder ${path} is on a disk of this machine.`)
}

export function lookAtFolder(
  dataDir: string,
  { central, mounts = readMounts }: { central: boolean; mounts?: () => string | null },
): FolderFound {
  const there = nearest(dataDir)
  const real = dataDir.replace(there, realpathSync(there))
  return { path: real, above: namesAbove(realpathSync(there)), mount: mountOf(realpathSync(there), mounts()), central }
}

/** The names in this folder and in each folder above it that this account may read. */
function namesAbove(folder: string): string[] {
  const names: string[] = []
  for (let path = folder; ; path = dirname(path)) {
    const here = path
    names.push(...(orNull(() => readdirSync(here)) ?? []).filter((name) => name.startsWith('.')))
    if (dirname(path) === path) return names
  }
}

const readMounts = (): string | null => orNull(() => readFileSync('/proc/self/mountinfo', 'utf8'))

/** Decodes the octal escapes of spaces and the like in mountinfo. */
const plain = (text: string) => text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))

/** The mount of a path: the one with the longest mount point; of several at one point the last, which covers the others. */
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
