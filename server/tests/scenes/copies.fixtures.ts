import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyDatabase } from '../../testing/database.ts'
import { type School, school } from '../../testing/school.ts'

/** Databases that are copied by hand: put back from yesterday, or run twice. What is started joins `open`. */
export function copiesIn(open: School[]) {
  const folders: string[] = []
  return {
    /** The database as it is at this moment, to be restored or cloned from. */
    imageOf({ database }: School): string {
      const folder = mkdtempSync(join(tmpdir(), 'markbook-image-'))
      folders.push(folder)
      copyDatabase(database.folder, folder)
      return folder
    },
    async startedFrom(image: string, seed: string): Promise<School> {
      const node = await school({ seed, story: false, database: 'sqlite', copyOf: image })
      open.push(node)
      return node
    },
    forget(): void {
      for (const each of folders.splice(0)) rmSync(each, { recursive: true, force: true })
    },
  }
}
