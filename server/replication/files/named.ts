import { failures } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import type { FileTable } from '@markbook/sync/protocol/files'
import type { Carried } from '@markbook/sync/protocol/page'
import { BUCKET, contentTypes, folderOf } from '../../features/reports/files/paths.ts'
import { imageObject, ownerOf } from '../../files/image-address.ts'
import { isImageType } from '../../files/images/picture.ts'
import type { Bucket } from '../../files/storage.ts'
import { isPath } from '../../files/storage.ts'
import { idsByTable, keyOf, keyOfRow, type RowName } from '../../store/replica/links.ts'
import { rowsById } from '../../store/replica/states.ts'
import type { ReadTx } from '../../store/tx.ts'
import { peopleIn } from '../scope/people.ts'
import { scopeOf, within } from '../scope/scope.ts'

/** The file that a row names: where it lies on every node that has it, and its content; null where the row does not say. */
export type NamedFile = { bucket: Bucket; path: string; contentType: string; size: number | null; sha256: string | null }

/** Where a child downloads a file, with a ticket. It uploads where everybody does (`TUS_PATH`). */
export const FILE_CONTENT = '/sync/files/content'

export const fileFailures = failures('sync', {
  noSuchFile: [404, 'There is no such file for this node.'],
  fileAway: [404, 'This file has not arrived here itself yet.'],
  wrongContent: [409, 'What came is not the file that its row names.'],
})

type Values = Readonly<Record<string, unknown>>

/** The file that a row names. Null where it names none, or one that is not its own: no row opens the file of another. */
export function fileOf(table: FileTable, id: string, row: Values): NamedFile | null {
  const file = namedBy(table, id, row)
  return file && isPath(file.path) ? file : null
}

function namedBy(table: FileTable, id: string, row: Values): NamedFile | null {
  if (table === 'user_profile') return picture(id, row, 'avatar')
  if (table === 'school') return picture(id, row, 'crest')
  const path = row['file_path']
  if (typeof path !== 'string' || !isOwnPath(table, id, row)) return null
  const type = table === 'report_book_pdf' ? 'pdf' : (row['file_type'] as keyof typeof contentTypes)
  return { bucket: BUCKET, path, contentType: contentTypes[type], size: row['file_size'] as number, sha256: shaOf(row['sha256']) }
}

/**
 * Whether the path is the row's own. A picture is named by its owner; a file is in the folder of its report or class, and files from before
 * this service lie flat, named by it.
 */
export function isOwnPath(table: FileTable, id: string, row: Values): boolean {
  if (table === 'user_profile' || table === 'school') {
    const path = row[table === 'school' ? 'crest_path' : 'avatar_path'] ?? null
    return path === null || ownerOf(String(path)) === id
  }
  const [path, book, group] = [String(row['file_path']), String(row['report_book_id']), String(row['student_group_id'])]
  const [folder, owner] = table === 'report_book_pdf' ? [folderOf(book), book] : [`classes/${group}/`, group]
  return path.startsWith(folder) || (path.startsWith(owner) && !path.includes('/'))
}

function picture(id: string, row: Values, kind: 'avatar' | 'crest'): NamedFile | null {
  const [path, contentType] = [row[`${kind}_path`], row[`${kind}_type`]]
  if (typeof path !== 'string' || !isImageType(String(contentType)) || ownerOf(path) !== id) return null
  const sha256 = shaOf(row[`${kind}_sha256`])
  return {
    bucket: 'images',
    path: imageObject(path, sha256),
    contentType: String(contentType),
    size: row[`${kind}_size`] as number | null,
    sha256,
  }
}

const shaOf = (value: unknown): string | null => (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value) ? value : null)

/** The most bytes that such a file may have. */
export const mostBytes = ({ bucket }: NamedFile): number => (bucket === 'images' ? limits.image.bytes : limits.reportFileBytes)

export type Content = { sha256: string; size: number }

/** Whether a content is what the row names. An earlier row names no hash, or no size: then any will do. */
export const isContentOf = (file: NamedFile, { sha256, size }: Content): boolean =>
  (file.sha256 === null || file.sha256 === sha256) && (file.size === null || file.size === size) && size <= mostBytes(file)

/** A row that may name a file; `file`: null where it names none now, or is gone. */
export type RowOfFile = RowName<FileTable> & { file: NamedFile | null; values: Values }

/** The rows as they are now, each once. */
export async function rowsOfFiles(tx: ReadTx, school: string, named: readonly RowName<FileTable>[]): Promise<RowOfFile[]> {
  const rows: RowOfFile[] = []
  for (const [table, ids] of idsByTable(named) as [FileTable, string[]][]) {
    const there = new Map((await rowsById(tx, table, school, ids)).map((row): [string, Values] => [row.id, row]))
    for (const id of ids) rows.push({ table, id, file: fileOf(table, id, there.get(id) ?? {}), values: there.get(id) ?? {} })
  }
  return rows
}

/** The files of those rows that the child may hold, by table and id. For the child no other file exists. */
export async function filesInScope(
  tx: ReadTx,
  peer: Pick<Row<'sync_peer'>, 'kind' | 'school_id' | 'user_id'>,
  asked: readonly RowName<FileTable>[],
): Promise<Map<string, NamedFile>> {
  const school = peer.school_id as string
  const scope = await scopeOf(tx, peer)
  const people = asked.some(({ table }) => table === 'user_profile') ? await peopleIn(tx, school, scope) : new Set<string>()
  const rows = (await rowsOfFiles(tx, school, asked)).filter(({ table, id }) => {
    if (table === 'user_profile') return people.has(id)
    return table !== 'school' || id === school
  })
  const kept = new Set((await within(tx, school, scope, rows.map(carried))).map(keyOfRow))
  return new Map(rows.flatMap((row) => (row.file && kept.has(keyOf(row)) ? [[keyOf(row), row.file]] : [])))
}

const carried = ({ table, id, values }: RowOfFile) => ({ table, state: { id, values } }) as unknown as Carried
