import { moveIn } from './moves.ts'

/** Report book status (specification, «States and transitions»; decisions §6): a new book starts as `draft`. */
const reportMoves = {
  draft: { publish: 'published' },
  published: { sendToMinistry: 'sent_to_ministry' },
  sent_to_ministry: {},
} as const

export type ReportStatus = keyof typeof reportMoves
export type ReportMove = 'publish' | 'sendToMinistry'

/** The status after a move, or null for a move that the status does not allow. */
export const moveReport = (status: ReportStatus, move: ReportMove): ReportStatus | null => moveIn(reportMoves, status, move)

/** A report that nothing leads out of: no field, entry or file of it may be changed (ReportGuard). */
export const isLocked = (status: ReportStatus): boolean => Object.keys(reportMoves[status]).length === 0
