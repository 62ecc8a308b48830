import type { ReportStanding } from '@markbook/shared/contract/reports'

export type PaperState = 'none' | 'older' | 'current'

/** A paper is of no use for what is now once its book has changed, or would change by being brought up to date. */
export const paperOf = ({ status, is_behind, paper }: ReportStanding): PaperState =>
  paper === null ? 'none' : paper.is_older || (is_behind && status !== 'sent_to_ministry') ? 'older' : 'current'

export const isBehind = ({ status, is_behind }: ReportStanding): boolean => is_behind && status !== 'sent_to_ministry'

/**
 * What to know of the papers of a class before they are taken: how many are `older` than the marks and remarks of now, how many books have
 * `none`, and how many of either are of books that were sent and get no further paper. `behind`: books to bring up to date first.
 */
export function countPapers(standings: readonly ReportStanding[]) {
  const isSent = ({ status }: ReportStanding) => status === 'sent_to_ministry'
  const [sent, open] = [standings.filter(isSent), standings.filter((one) => !isSent(one))]
  const count = (list: readonly ReportStanding[], state: PaperState) => list.filter((one) => paperOf(one) === state).length
  return {
    all: standings.length,
    current: count(standings, 'current'),
    behind: open.filter(isBehind).length,
    older: count(open, 'older'),
    none: count(open, 'none'),
    sentOlder: count(sent, 'older'),
    sentNone: count(sent, 'none'),
  }
}
export type PaperCount = ReturnType<typeof countPapers>

/** Nothing has to be asked before these are handed out. */
export const isAsNow = ({ older, none, sentOlder, sentNone }: PaperCount): boolean => older + none + sentOlder + sentNone === 0
