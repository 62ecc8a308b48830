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

type Approved = { approved_at: string | null }
/** Of the school: null where nobody has said. */
type Asking = { approves_reports: boolean | null }

/**
 * Whether a report may neither be published nor sent yet: the school wants an administrator to approve it, and nobody has, or what it says
 * was changed since (docs/design/reports.md).
 */
export const lacksApproval = ({ approves_reports }: Asking, { approved_at }: Approved): boolean =>
  approves_reports === true && approved_at === null

type SentBack = Approved & { status: ReportStatus; sent_back_at: string | null; is_changed_since_sent_back: boolean }

/** Whether a report waits for its class teacher: an administrator sent it back, and it says nothing else since. */
export const isSentBack = (school: Asking, report: SentBack): boolean =>
  lacksApproval(school, report) && !isLocked(report.status) && report.sent_back_at !== null && !report.is_changed_since_sent_back

type Written = SentBack & { class_teacher_remark: string | null }

/** Whether a report waits for an administrator: its class teacher has written the remark, and it is neither approved nor sent back as it is. */
export const waitsForApproval = (school: Asking, report: Written): boolean =>
  lacksApproval(school, report) && !isLocked(report.status) && !isSentBack(school, report) && Boolean(report.class_teacher_remark?.trim())

/** A report that nothing leads out of: no field, entry or file of it may be changed (ReportGuard). */
export const isLocked = (status: ReportStatus): boolean => Object.keys(reportMoves[status]).length === 0
