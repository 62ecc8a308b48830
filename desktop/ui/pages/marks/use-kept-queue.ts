import { useSyncExternalStore } from 'react'
import type { KeptQueue } from './model/kept-queue.ts'
import type { MarkQueue } from './model/mark-queue.ts'
import type { StoredMark } from './model/pending-mark.ts'

/** Renders again after each change of the queue, including changes before the component has subscribed. */
export const useQueueChanges = (queue: Pick<MarkQueue<StoredMark>, 'listen' | 'version'>): number =>
  useSyncExternalStore(queue.listen, queue.version)

/** The number of entries that other windows of this browser have; null before the first count. */
export const useElsewhere = ({ elsewhere }: Pick<KeptQueue<StoredMark, unknown>, 'elsewhere'>): number | null =>
  useSyncExternalStore(elsewhere.listen, elsewhere.get)
