import { moveIn } from './moves.ts'

/** Report book status (specification, «States and transitions»; decisions §6): a new book starts as `draft`. */
const reportMoves = {
  draft: { publish: 'published' },
  published: { sendToMinistry: 'sent_to_ministry' },
  sent_to_ministry: {},
} as const

export type ReportStatus = keyof typeof reportMoves
export type ReportMove = 'publish' | 'sendToMinistry'

/** The status after a move, or null where the status does not allow the move. */
export const moveReport = (status: ReportStatus, move: ReportMove): ReportStatus | null => moveIn(reportMoves, status, move)

type Approved = { approved_at: string | null }
/** The school's setting; null means no. */
type Asking = { approves_reports: boolean | null }

/**
 * Whether a report may not be published or sent yet: the school requires an administrator's approval, and nobody has approved the present
 * content (docs/design/reports.md).
 */
export const lacksApproval = ({ approves_reports }: Asking, { approved_at }: Approved): boolean =>
  approves_reports === true && approved_at === null

type SentBack = Approved & { status: ReportStatus; sent_back_at: string | null; is_changed_since_sent_back: boolean }

/** Whether a report waits for its class teacher: an administrator sent it back, and its content has not changed since. */
export const isSentBack = (school: Asking, report: SentBack): boolean =>
  lacksApproval(school, report) && !isLocked(report.status) && report.sent_back_at !== null && !report.is_changed_since_sent_back

type Written = SentBack & { class_teacher_remark: string | null }

/**
 * Whether a report waits for an administrator: its class teacher has written the remark, and it is neither approved nor sent back with its
 * present content.
 */
export const waitsForApproval = (school: Asking, report: Written): boolean =>
  lacksApproval(school, report) && !isLocked(report.status) && !isSentBack(school, report) && Boolean(report.class_teacher_remark?.trim())

/** Whether no move leads out of the status: no field, entry or file of such a report may be changed (ReportGuard). */
export const isLocked = (status: ReportStatus): boolean => Object.keys(reportMoves[status]).length === 0
