import type { Notice } from '@markbook/sync/machine'
import type { Peer } from '../../store/peer-row.ts'

/**
 * How replication with the parent goes, for the status. `copy`: how far a first copy of the parent's rows has come, while it lasts.
 * `obstacle`: why nothing is exchanged although something answers. `above`: of a laptop, up to which number of its feed the centre has
 * everything, as its school said; null where the school says nothing.
 */
export type UpstreamStatus = {
  parent: Peer | null
  notice: Notice | 'alone'
  reason: string | null
  since: number
  obstacle?: Obstacle | null
  copy?: Copy | null
  above?: number | null
}
/** `altered`: the replies are not authentic. `parent_older`: the parent's program is too old for this one. */
export type Obstacle = 'altered' | 'parent_older'
export type Copy = { copied: number; total: number }

export type Replication = {
  course(): UpstreamStatus
  /** Looks again for a parent: after one was joined or left. */
  refresh(): Promise<void>
  /** Resolves once this laptop is to be erased by its next start, and takes no more writes. */
  wiped: Promise<void>
  /** Call when there may be files that can be carried now. */
  carryFiles(): void
  stop(): Promise<void>
}

/** The parent that a node speaks with; the first while it speaks with none. */
export function currentParent(parents: readonly Peer[], course: UpstreamStatus | null): Peer | null {
  const speaking = course && course.notice !== 'offline' ? course.parent?.id : undefined
  return parents.find(({ id }) => id === speaking) ?? parents[0] ?? null
}
