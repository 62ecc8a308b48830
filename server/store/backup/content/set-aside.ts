import { join } from 'node:path'
import type { ContentFolder } from './disk.ts'
import { ASIDE, IN_USE } from './packs.ts'

/** Packs of which something is damaged: what is added from now on relies on none of them. Those that are missing are left out. */
export async function setAside({ folder, disk }: ContentFolder, names: readonly string[]): Promise<void> {
  const there = new Set(await disk.names(folder))
  for (const name of names) if (there.has(name + IN_USE)) await disk.rename(join(folder, name + IN_USE), join(folder, name + ASIDE))
  await disk.syncFolder(folder)
}
