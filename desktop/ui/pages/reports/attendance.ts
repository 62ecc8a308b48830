import { typedNumber } from '../../words/format.ts'

/** A percentage as it is typed; nothing at all is one too: it is not known. */
export const isAttendance = (text: string): boolean => {
  const typed = typedNumber(text)
  return text.trim() === '' || (typed !== null && typed >= 0 && typed <= 100 && Math.abs(typed * 100 - Math.round(typed * 100)) < 1e-9)
}
