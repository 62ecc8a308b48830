/** A row of which a parent refused units that are written here. */
export type RefusedRow = {
  isLaptop: boolean
  here: 'lives' | 'deleted'
  there: 'lives' | 'deleted' | 'none'
  /** This node made the row. */
  isMade: boolean
  /** The deletion at the parent is known here, and the row lives by other writes, which the parent has not received. */
  isReturned: boolean
  /** The table has the row here, which it also may where the row is deleted: for rows that name it. */
  isStored: boolean
  /** Rows that are here name it, so that it stays in the table as a deleted row. */
  stays: boolean
  /** The existence of the row is among the refused units. */
  ofExistence: boolean
  isMalformed: boolean
  /** A new write of it can be read by the parent. */
  canTravel: boolean
  /** There is something to write: over a refused write of this node, or a value of before that could be written. */
  isOurs: boolean
  /** Units are to be written that the parent has. */
  hasUnits: boolean
}

/**
 * `forget`: the row, with all that names it; `merge`: the parent's deletion; `replace`: the state here by the parent's, or forget the row
 * where there is none; `leave`: as it is; `forgetDeletion`; `write`: the parent's values anew, by nobody.
 */
export type RefusalOutcome = 'forget' | 'merge' | 'replace' | 'leave' | 'forgetDeletion' | 'write'

/** SPEC, «Push», «Takes the parent's row», and «Two parents of a laptop». The first case that fits counts. */
export const refusalCases: readonly (readonly [fits: Partial<RefusedRow>, outcome: RefusalOutcome])[] = [
  // It may still come to the parent by another way, with the rows that name it. A laptop has no children that would need a deletion.
  [{ isLaptop: true, there: 'none', isMade: false }, 'forget'],
  // A deletion by this node would cover those other writes at whoever made them.
  [{ isLaptop: true, there: 'deleted', isReturned: true }, 'merge'],
  // As a deleted row it would come back at the parent too, with these values, for what names it.
  [{ stays: true, isMalformed: true }, 'leave'],
  // A new write would be malformed too.
  [{ stays: false, canTravel: false }, 'replace'],
  // What only others wrote must not be written over here.
  [{ stays: false, isOurs: false }, 'replace'],
  // Its deletion was not refused, so that its other units do not count.
  [{ here: 'deleted', there: 'lives', ofExistence: false }, 'leave'],
  // A deleted row that stays for rows that name it may still come to the parent too, with these.
  [{ here: 'deleted', there: 'none', isLaptop: true, isStored: true, ofExistence: true }, 'forget'],
  // Its deletion may have seen writes that the parent has yet to receive, and would cover them here.
  [{ here: 'deleted', there: 'none', isLaptop: true, isStored: false, ofExistence: true }, 'forgetDeletion'],
  [{ here: 'deleted', there: 'deleted', isLaptop: true, isStored: false, ofExistence: true }, 'forgetDeletion'],
  // Deleted on both sides: only units of a row that stays for rows that name it are written.
  [{ here: 'deleted', there: 'none' }, 'leave'],
  [{ here: 'deleted', there: 'deleted', hasUnits: false }, 'leave'],
  [{}, 'write'],
]

export function refusalOutcome(row: RefusedRow, cases = refusalCases): RefusalOutcome {
  const found = cases.find(([fits]) => Object.entries(fits).every(([fact, value]) => row[fact as keyof RefusedRow] === value))
  return found?.[1] ?? 'write'
}
