import { browserDatabase, keysBelow, type PendingStore } from './browser-database.ts'

const STORES: readonly PendingStore[] = ['pending_marks', 'pending_attendance', 'pending_texts']

/** The number of entries of a person in this browser that the server has not confirmed, by school. */
export async function entriesOfSchools(userId: string): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  const database = await browserDatabase()
  for (const store of database ? STORES : []) {
    // A record of another version of the app may have another shape.
    const records = (await database?.getAll(store, keysBelow(userId))) as { schoolId?: string; pending?: unknown }[] | undefined
    for (const { schoolId, pending } of records ?? [])
      if (schoolId !== undefined && Array.isArray(pending)) counts.set(schoolId, (counts.get(schoolId) ?? 0) + pending.length)
  }
  return counts
}
