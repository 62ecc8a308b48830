/** `studentGroupId`: the id of a class, or of a teaching set where `isSet`. */
export type SheetQuery = { termId: string; subjectId: string; studentGroupId: string; isSet: boolean }

/** The URL of the event stream with the marks of a sheet. */
export const liveMarksUrl = ({ termId, subjectId, studentGroupId, isSet }: SheetQuery): string =>
  `/api/grades/events?${new URLSearchParams({ termId, subjectId, [isSet ? 'teachingSetId' : 'studentGroupId']: studentGroupId })}`
