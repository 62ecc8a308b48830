import { SCHEMA_VERSION } from '@markbook/shared/tables/schema-version'
import type { Replicated } from '@markbook/shared/tables/tables'
import { extraAfter, extraToText, textToExtra } from '@markbook/sync/extra'
import { furthestOf, highsOf } from '@markbook/sync/merge/policy'
import { stamp } from '@markbook/sync/stamp'
import { EXISTENCE, type Stamp, type Versions, type VersionsText, versionsReader, versionsToText } from '@markbook/sync/versions'
import type { SyncRowWrite } from './dialect.rows.ts'
import { claimsOf, type RowChange, rowOf } from './row-changes.ts'

export type Stamping = { node: string; nowMs: number; actor: string | null }
/** A deletion of a row that was kept because another row needed it, and that a person has changed since. */
export type OverruledDeletion = { table: Replicated; schoolId: string; rowId: string; stamp: Stamp }

/** A row that a transaction wrote, with its new versions; `stamps`: those of its units. */
export type Stamped = { entry: RowChange; stamps: Versions['units']; written: SyncRowWrite }

/** Computes the versions of rows after a transaction's writes. Deletions that end with it are added to `overruled`. */
export function stampedRows(
  schoolId: string,
  entries: readonly RowChange[],
  stamping: Stamping,
  overruled: (deletion: OverruledDeletion) => void,
): Stamped[] {
  const [read, stampFor] = [versionsReader(), stamper(stamping)]
  return entries.map((entry) => {
    const { table, units, stored: before } = entry
    const { id } = rowOf(entry)
    const previous = before ? read(before) : null
    const deletion = previous?.alive.length === 0 && entry.before !== null && entry.after !== null && previous.units[EXISTENCE]
    if (deletion) overruled({ table, schoolId, rowId: id, stamp: deletion })
    const { versions, text } = stampFor(entry, previous)
    const written = {
      table_name: table,
      row_id: id,
      ...text,
      deleted: entry.after === null,
      ...extraOf(entry, units, before?.extra ?? null),
      source_id: null,
      schema: SCHEMA_VERSION,
      place: before?.place,
    }
    return { entry, stamps: versions.units, written }
  })
}

function extraOf(entry: RowChange, units: ReadonlySet<string>, extra: string | null): Pick<SyncRowWrite, 'extra' | 'settled'> {
  const deletes = entry.after === null
  if (extra === null && !deletes) return { extra: null, settled: false }
  const aside = extraAfter(textToExtra(extra), { units, last: deletes ? claimsOf(entry) : null })
  return { extra: extraToText(aside), settled: Object.keys(aside.claims ?? {}).length > 0 }
}

type Made = { versions: Versions; text: VersionsText }

/** Rows that are written together repeatedly share one text of versions, which is made once. */
function stamper({ node, nowMs, actor }: Stamping): (entry: RowChange, previous: Versions | null) => Made {
  // A set of units belongs to one table, and only to creations, changes or deletions (`RowChange`).
  const all = new Map<ReadonlySet<string>, Map<Versions | null, Map<string, Made>>>()
  return (entry, previous) => {
    const { table, units } = entry
    const high = highsOf(table, rowOf(entry))
    const like = Object.values(high).join()
    const ofUnits = all.get(units) ?? new Map<Versions | null, Map<string, Made>>()
    all.set(units, ofUnits)
    const alike = ofUnits.get(previous) ?? new Map<string, Made>()
    ofUnits.set(previous, alike)
    const known = alike.get(like)
    if (known) return known
    const write = { units: [...units], node, now: nowMs, actor, deletes: entry.after === null, high, furthest: furthestOf(table) }
    const versions = stamp(previous, write)
    const made = { versions, text: versionsToText(versions) }
    alike.set(like, made)
    return made
  }
}
