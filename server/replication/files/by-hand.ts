import { limits } from '@markbook/shared/limits'
import { FileTable } from '@markbook/sync/protocol/files'
import { z } from 'zod'
import { sha256Of } from '../../files/digest.ts'
import type { Peer } from '../../store/peer-row.ts'
import { keyOf } from '../../store/replica/links.ts'
import { asSystem } from '../../store/tx.ts'
import { filesInScope, isContentOf, type NamedFile, rowsOfFiles } from './named.ts'
import { enqueueFiles, lookAgain, queuedOf, settle } from './queue.ts'
import { bytesOf, type Carrying, heldOf, land } from './store-file.ts'

/** A file on a stick: the row that names it, and its content, which lies behind the pages. */
export const BundledFile = z.object({ table: FileTable, id: z.uuid(), sha256: z.string(), size: z.int() })
export type BundledFile = z.infer<typeof BundledFile>
export const FileRowRef = z.object({ table: FileTable, id: z.uuid() })
export type FileRowRef = z.infer<typeof FileRowRef>
/** The same with its bytes. */
export type Packed = BundledFile & { bytes: Buffer }

const MOST_WANTED = 1_000

/** The files that the parent lacks, as far as there is room, and the rows whose files this node lacks. `all`: looks at every row again. */
export async function packForParent(
  services: Carrying,
  peer: Peer,
  { all }: { all: boolean },
): Promise<{ packed: Packed[]; wants: FileRowRef[] }> {
  if (all) await services.store.write(asSystem(), (tx) => lookAgain(tx, peer.id))
  await enqueueFiles(services, peer.id)
  const queued = await services.store.read(asSystem(), (tx) => queuedOf(tx, peer, { dueOnly: false, limit: MOST_WANTED }))
  const packed = await pack(services, queued)
  const wants = queued.filter((row) => row.direction === 'down').map(({ table, id }) => ({ table, id }))
  return { packed, wants }
}

/** The files that a child asked for, and those of the rows that it gets now, as far as there is room. */
export async function packForChild(services: Carrying, peer: Peer, asked: readonly FileRowRef[]): Promise<Packed[]> {
  const named = await services.store.read(asSystem(), (tx) => filesInScope(tx, peer, asked))
  const rows = new Map(asked.map((row) => [keyOf(row), { ...row, file: named.get(keyOf(row)) ?? null }]))
  return pack(services, [...rows.values()])
}

async function pack({ files }: Carrying, rows: readonly (FileRowRef & { file: NamedFile | null })[]): Promise<Packed[]> {
  const packed: Packed[] = []
  let room: number = limits.sync.files.stickBytes
  for (const { table, id, file } of rows) {
    const held = file && (await heldOf({ files }, file))
    if (!file || !held || held.size > room) continue
    const bytes = await bytesOf((await files.open(file.bucket, file.path))?.body)
    // Content that was damaged on the disk is not passed on.
    if (sha256Of(bytes) !== held.sha256) continue
    room -= bytes.length
    packed.push({ table, id, ...held, bytes })
  }
  return packed
}

/** Stores the files that a child brought, of rows that are here. Returns those that this node has now. */
export async function unpackFromChild(services: Carrying, peer: Peer, packed: Iterable<Packed>): Promise<BundledFile[]> {
  return unpack(services, packed, (row) =>
    services.store.read(asSystem(), async (tx) => (await filesInScope(tx, peer, [row])).get(keyOf(row)) ?? null),
  )
}

/** Stores the files that the parent sent, and notes which it has taken. Returns those that came. */
export async function unpackFromParent(
  services: Carrying,
  peer: Peer,
  packed: Iterable<Packed>,
  taken: readonly BundledFile[],
): Promise<BundledFile[]> {
  const fileOfRow = (row: FileRowRef) =>
    services.store.read(asSystem(), async (tx) => (await rowsOfFiles(tx, peer.school_id as string, [row]))[0]?.file ?? null)
  const came = await unpack(services, packed, fileOfRow)
  const done = [...came]
  for (const row of taken) {
    const file = await fileOfRow(row)
    if (file && isContentOf(file, row)) done.push(row)
  }
  await services.store.write(asSystem(), (tx) => settle(tx, peer.id, done))
  return came
}

async function unpack(
  services: Carrying,
  packed: Iterable<Packed>,
  fileOfRow: (row: FileRowRef) => Promise<NamedFile | null>,
): Promise<BundledFile[]> {
  const here: BundledFile[] = []
  for (const { bytes, ...row } of packed) {
    const file = await fileOfRow(row)
    if (!file || !isContentOf(file, row)) continue
    if (!(await heldOf(services, file))) await land(services, file, bytes, row)
    here.push(row)
  }
  return here
}
