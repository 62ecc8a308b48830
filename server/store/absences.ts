import type { Connection } from './connection.ts'
import type { Dialect } from './dialect.ts'

type AbsentRows = { schoolId: string; table: string; vvById: Map<string, string | null> }

/**
 * Rows that a transaction found absent. What is not there cannot be locked, so another transaction may make it in between; merged with
 * nothing, what that one wrote would be gone without a trace. Whoever writes such a row has waited for the other by its key, so it is
 * enough to look once more before the end. SQLite has one writer at a time.
 */
export class Absences {
  private seen = new Map<string, AbsentRows>()

  constructor(
    private readonly connection: Connection,
    private readonly dialect: Dialect,
  ) {}

  /** `vvById`: null for a row of which nothing is known, the vector of one that was deleted. The first look counts. */
  note(schoolId: string, table: string, vvById: ReadonlyMap<string, string | null>): void {
    if (this.dialect.name === 'sqlite' || vvById.size === 0) return
    const key = `${schoolId}:${table}`
    const own = this.seen.get(key) ?? { schoolId, table, vvById: new Map() }
    this.seen.set(key, own)
    for (const [id, vv] of vvById) if (!own.vvById.has(id)) own.vvById.set(id, vv)
  }

  /** Throws what makes the transaction run again where one of those that it writes is there by now. */
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

/** As the database itself says it of transactions that stood in each other's way. */
class Overtaken extends Error {
  readonly code = '40001'
  constructor() {
    super('a row that was not there was written in between')
  }
}
