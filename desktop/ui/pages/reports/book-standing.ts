import type { ReportStanding } from '@markbook/shared/contract/reports'

export type PdfState = 'none' | 'older' | 'current'

/** A PDF is older where its report book was changed after it, or would be changed by a new calculation. */
export const pdfStateOf = ({ status, is_behind, paper }: ReportStanding): PdfState =>
  paper === null ? 'none' : paper.is_older || (is_behind && status !== 'sent_to_ministry') ? 'older' : 'current'

/** Whether a report book that can still change is older than the marks. */
export const isOutdated = ({ status, is_behind }: ReportStanding): boolean => is_behind && status !== 'sent_to_ministry'

/** Whether a sent report book, which keeps what was sent, differs from the results of the present marks. */
export const differsFromSent = ({ status, is_behind }: ReportStanding): boolean => is_behind && status === 'sent_to_ministry'

/**
 * Counts the PDFs of a class before a download: `older` than the present marks and remarks, or `none`. Report books that were sent get no
 * new PDF, and are counted separately. `behind`: report books to calculate again first.
 */
export function countPdfs(standings: readonly ReportStanding[]) {
  const isSent = ({ status }: ReportStanding) => status === 'sent_to_ministry'
  const [sent, open] = [standings.filter(isSent), standings.filter((one) => !isSent(one))]
  const count = (list: readonly ReportStanding[], state: PdfState) => list.filter((one) => pdfStateOf(one) === state).length
  return {
    all: standings.length,
    current: count(standings, 'current'),
    behind: open.filter(isOutdated).length,
    older: count(open, 'older'),
    none: count(open, 'none'),
    sentOlder: count(sent, 'older'),
    sentNone: count(sent, 'none'),
  }
}
export type PdfCount = ReturnType<typeof countPdfs>

/** Whether the download needs no question. */
export const areAllCurrent = ({ older, none, sentOlder, sentNone }: PdfCount): boolean => older + none + sentOlder + sentNone === 0
