import type { Connection } from './connection.ts'
import type { Dialect } from './dialect.ts'

type AbsentRows = { schoolId: string; table: string; vvById: Map<string, string | null> }

/**
 * Rows that a transaction looked for and did not find. A row that does not exist cannot be locked, so another transaction may insert it
 * meanwhile, and this one would overwrite it unmerged. Writers of the same row wait for each other at its key; so reading the versions
 * once more before the commit is enough. On SQLite this is not needed, since only one transaction writes at a time.
 */
export class Absences {
  private seen = new Map<string, AbsentRows>()

  constructor(
    private readonly connection: Connection,
    private readonly dialect: Dialect,
  ) {}

  /**
   * `vvById`: by row id, the version vector of the deleted row, or null where there is no version at all. The first call for a row counts.
   */
  note(schoolId: string, table: string, vvById: ReadonlyMap<string, string | null>): void {
    if (this.dialect.name === 'sqlite' || vvById.size === 0) return
    const key = `${schoolId}:${table}`
    const own = this.seen.get(key) ?? { schoolId, table, vvById: new Map() }
    this.seen.set(key, own)
    for (const [id, vv] of vvById) if (!own.vvById.has(id)) own.vvById.set(id, vv)
  }

  /** Throws a retryable error where a row that this transaction writes has been inserted or changed meanwhile. */
  async demandStillAbsent(isWritten: (schoolId: string, table: string, id: string) => boolean): Promise<void> {
    const looked = [...this.seen.values()]
    this.seen = new Map()
    for (const { schoolId, table, vvById } of looked) {
      const ids = [...vvById.keys()].filter((id) => isWritten(schoolId, table, id))
      if (ids.length === 0) continue
      const now = await this.dialect.versionsOf(this.connection, schoolId, table, ids)
      if (now.some(({ row_id, vv }) => vvById.get(row_id) !== vv)) throw new Overtaken()
    }
  }
}

/** Has the SQLSTATE of a serialization failure, so that the transaction is run again. */
class Overtaken extends Error {
  readonly code = '40001'
  constructor() {
    super('a row that was not there was written in between')
  }
}
