/**
 * A position in a school's feed: the reader has every row with a number below `next`, and of the rows of `next` itself those with ids up
 * to `upTo`. Nothing is missed between two pages, because a row that changes meanwhile gets a higher number.
 */
export type Position = { readonly next: number; readonly upTo: string | null }

export const START: Position = { next: 1, upTo: null }
/** The position after this feed number. */
export const behind = (seq: number): Position => ({ next: seq + 1, upTo: null })

const NOTHING = '00000000-0000-0000-0000-000000000000'
/** The id after which the rows of `next` continue. */
export const lastIdOf = ({ upTo }: Position): string => upTo ?? NOTHING

/** `<number>_<id>`, both decimal, as the protocol requires: an id is a number of 128 bits. */
export const positionToOffset = ({ next, upTo }: Position): string =>
  `${next}_${upTo === null ? 0n : BigInt(`0x${upTo.replaceAll('-', '')}`)}`

const OFFSET = /^(\d{1,15})_(inf|\d{1,39})$/

/** Null for a malformed offset. `0_inf`, the start of the log on other servers, is the start of ours. */
export function offsetToPosition(text: string): Position | null {
  const match = OFFSET.exec(text)
  if (!match) return null
  const [, next, id] = match
  if (id === 'inf') return behind(Number(next))
  const hex = BigInt(id ?? 0)
    .toString(16)
    .padStart(32, '0')
  if (hex.length > 32) return null
  if (Number(next) === 0) return START
  return { next: Number(next), upTo: BigInt(id ?? 0) === 0n ? null : hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') }
}
