import { useSyncExternalStore } from 'react'
import type { KeptQueue } from './model/kept-queue.ts'
import type { MarkQueue } from './model/mark-queue.ts'
import type { StoredMark } from './model/pending-mark.ts'

/** Renders again whenever an entry of the queue has changed, before the page began to listen too. */
export const useQueueChanges = (queue: Pick<MarkQueue<StoredMark>, 'listen' | 'version'>): number =>
  useSyncExternalStore(queue.listen, queue.version)

/** How many entries other windows of this browser have; null before the first look. */
export const useElsewhere = ({ elsewhere }: Pick<KeptQueue<StoredMark, unknown>, 'elsewhere'>): number | null =>
  useSyncExternalStore(elsewhere.listen, elsewhere.get)
