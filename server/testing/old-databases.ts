import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { DATABASE_FILE } from '../store/sqlite.ts'

/** The last commit with protocol 2. Its history has no `detail` and `proof`, and its databases have four migrations. */
export const LAST_OF_PROTOCOL_2 = '8021e5f7c393ebc5768310b456f4cdb17cffd186'

/**
 * A commit with protocol 3, before report books could be sent back. The columns of sending back belong to the unit of the approval, which
 * it wrote without them.
 */
export const BEFORE_SENT_BACK = '69836fb0bff7833670cf17b6e553d131e67946f4'

/**
 * Databases of that program (server/tests/fixtures/of-protocol-2.make.ts): a school with the story, and Ada's laptop with marks that it
 * has not sent.
 */
const NAMES = ['school', 'laptop'] as const
type Folders = Record<(typeof NAMES)[number], string>
const fileOf = (name: string) => join(import.meta.dirname, '..', 'tests', 'fixtures', 'of-protocol-2', `${name}.sqlite.gz`)

/** Unpacks them into folders of their own; the laptop reaches its school at `parentUrl`. */
export function unpackFixture({ parentUrl, ...folders }: Folders & { parentUrl: string }): void {
  for (const name of NAMES) writeFileSync(join(folders[name], DATABASE_FILE), gunzipSync(readFileSync(fileOf(name))))
  const laptop = new Database(join(folders.laptop, DATABASE_FILE))
  laptop.prepare("update sync_peer set url = ? where side = 'parent'").run(parentUrl)
  laptop.close()
}

/** Packs databases that nobody has open. */
export function packFixture(folders: Folders): void {
  for (const name of NAMES) {
    const file = join(folders[name], DATABASE_FILE)
    const database = new Database(file)
    database.exec('vacuum')
    database.pragma('journal_mode = DELETE')
    database.close()
    writeFileSync(fileOf(name), gzipSync(readFileSync(file), { level: 9 }))
  }
}
