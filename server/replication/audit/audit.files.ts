import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { FileTally } from '@markbook/shared/contract/audit'
import { COMMONS } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import { descriptions } from '@markbook/shared/tables/tables'
import { type FileTable, fileTables } from '@markbook/sync/protocol/files'
import type { ObjectStorage } from '../../files/storage.ts'
import { everyId } from '../../store/replica/feed.ts'
import type { RowName } from '../../store/replica/links.ts'
import type { Store } from '../../store/store.ts'
import { asSystem } from '../../store/tx.ts'
import { isContentOf, mostBytes, type NamedFile, rowsOfFiles } from '../files/named.ts'

export const noFiles = (): FileTally => ({ same: 0, unhashed: 0, absent: 0, swapped: 0 })

type Reading = { store: Store; files: Pick<ObjectStorage, 'open'> }

/** Reads every file of a school, or of people (`COMMONS`), and compares it with its row. The first `limits.audit.listedDifferences` swapped ones are named. */
export async function auditFiles({ store, files }: Reading, school: string): Promise<{ tally: FileTally; swapped: RowName<FileTable>[] }> {
  const tally = noFiles()
  const swapped: RowName<FileTable>[] = []
  for (const table of fileTables.filter((each) => (descriptions[each].scope === 'commons') === (school === COMMONS)))
    for await (const ids of everyId(store, school, table, limits.audit.pageRows))
      for (const { id, file } of await namedBy(store, table, school, ids)) {
        if (!file) continue
        const is = await verdictOn({ store, files }, { table, id, school }, file)
        if (is === 'gone') continue
        tally[is] += 1
        if (is === 'swapped' && swapped.length < limits.audit.listedDifferences) swapped.push({ table, id })
      }
  return { tally, swapped }
}

function namedBy(store: Store, table: FileTable, school: string, ids: readonly string[]) {
  const named = ids.map((id) => ({ table, id }))
  return store.read(asSystem(), (tx) => rowsOfFiles(tx, school, named))
}

/** `gone` where the row names another file by now: the file was replaced meanwhile, and shows nothing. */
async function verdictOn(
  { store, files }: Reading,
  { table, id, school }: RowName<FileTable> & { school: string },
  file: NamedFile,
): Promise<keyof FileTally | 'gone'> {
  const content = await contentOf(files, file)
  if (content && isContentOf(file, content)) return file.sha256 === null ? 'unhashed' : 'same'
  const [now] = await namedBy(store, table, school, [id])
  if (now?.file?.path !== file.path || now.file.sha256 !== file.sha256) return 'gone'
  return content ? 'swapped' : 'absent'
}

/** Size and SHA-256 of the stored content, read little further than its kind may be long; null where nothing can be read. */
async function contentOf(files: Reading['files'], file: NamedFile): Promise<{ size: number; sha256: string } | null> {
  let body: Readable | undefined
  try {
    body = (await files.open(file.bucket, file.path))?.body
    if (!body) return null
    const hash = createHash('sha256')
    let size = 0
    for await (const piece of body) {
      hash.update(piece)
      size += piece.length
      if (size > mostBytes(file)) break
    }
    return { size, sha256: hash.digest('hex') }
  } catch {
    return null
  } finally {
    body?.destroy()
  }
}
