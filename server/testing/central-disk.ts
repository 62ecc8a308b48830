import { randomBytes } from 'node:crypto'
import postgres from 'postgres'
import { createDatabase } from './database.ts'

/**
 * A central database on a real Postgres that can be copied and restored, like the folder of a school. No client may be connected
 * meanwhile. `cluster`: the URL of a server on which databases may be created.
 */
export type CentralDisk = {
  url: string
  /** Copies the database under another name; returns the name for `putBack`. */
  copy(): Promise<string>
  putBack(copy: string): Promise<void>
  drop(): Promise<void>
}

const named = (url: string, name: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href
const newName = () => `world_${randomBytes(8).toString('hex')}`

async function administer(cluster: string, ...texts: string[]): Promise<void> {
  const sql = postgres(cluster, { max: 1, onnotice: () => {} })
  try {
    for (const text of texts) await sql.unsafe(text)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** A migrated, empty database. */
export async function newCentralDisk(cluster: string): Promise<CentralDisk> {
  const { url } = await createDatabase(cluster)
  return diskOf(cluster, new URL(url).pathname.slice(1))
}

/** A database that begins as a copy of another. */
export async function centralDiskLike(cluster: string, other: string): Promise<CentralDisk> {
  const name = newName()
  await administer(cluster, `create database ${name} template ${other}`)
  return diskOf(cluster, name)
}

function diskOf(cluster: string, name: string): CentralDisk {
  const copies: string[] = []
  return {
    url: named(cluster, name),
    copy: async () => {
      const copy = newName()
      await administer(cluster, `create database ${copy} template ${name}`)
      copies.push(copy)
      return copy
    },
    putBack: (copy) => administer(cluster, `drop database ${name} with (force)`, `create database ${name} template ${copy}`),
    drop: () => administer(cluster, ...[name, ...copies].map((each) => `drop database if exists ${each} with (force)`)),
  }
}
