import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { copyDatabase, type DatabaseName, imageOfDatabase } from '../../testing/database.ts'
import { type School, school } from '../../testing/school.ts'

type Image = { database: DatabaseName; copyOf: string; drop(): Promise<void> | void }

/** Databases that are copied by hand: put back from yesterday, or run twice. What is started joins `open`. */
export function copiesIn(open: School[]) {
  const images: Image[] = []
  return {
    /** The database as it is at this moment, to be restored or cloned from. */
    async imageOf({ database: { url, folder } }: School): Promise<Image> {
      const image = url === '' ? imageOfFolder(folder) : await imageOfPostgres(url)
      images.push(image)
      return image
    },
    async startedFrom({ database, copyOf }: Image, seed: string): Promise<School> {
      const node = await school({ seed, story: false, database, copyOf })
      open.push(node)
      return node
    },
    async forget(): Promise<void> {
      for (const each of images.splice(0)) await each.drop()
    },
  }
}

function imageOfFolder(folder: string): Image {
  const copyOf = mkdtempSync(join(tmpdir(), 'markbook-image-'))
  copyDatabase(folder, copyOf)
  return { database: 'sqlite', copyOf, drop: () => rmSync(copyOf, { recursive: true, force: true }) }
}

async function imageOfPostgres(url: string): Promise<Image> {
  const { name, drop } = await imageOfDatabase(url, inject('postgresUrl'))
  return { database: 'postgres', copyOf: name, drop }
}
