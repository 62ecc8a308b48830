import { editable, typedNumber } from '../../words/format.ts'

export type Band = { key: number; letter: string; minimum: string; remark: string }
type Scale = { bands: readonly { letter: string; minimum: number; remark: string }[] }

/** The bands of a scale as form values. */
export const draftOf = ({ bands }: Scale): Band[] =>
  bands.map(({ letter, minimum, remark }, key) => ({ key, letter, minimum: editable(minimum), remark }))

/** The form values as one text, which tells whether something was typed. */
export const textOf = (bands: readonly Band[], passMark: string): string =>
  JSON.stringify([passMark, bands.map(({ letter, minimum, remark }) => [letter, minimum, remark])])

export type Fault = { word: 'faultNumber' | 'faultPass' | 'faultOrder' | 'faultLast' | 'faultLetter' | 'faultRemark'; at: number }

const isShare = (value: number | null): value is number => value !== null && value >= 0 && value <= 100

/** The first fault of a scale (contract, grading scale); null for none. `at`: its line, from 1. */
export function faultOf(bands: readonly Band[], passMark: string): Fault | null {
  if (!isShare(typedNumber(passMark))) return { word: 'faultPass', at: 0 }
  const letters = new Set<string>()
  for (const [index, { letter, minimum, remark }] of bands.entries()) {
    const at = index + 1
    const from = typedNumber(minimum)
    const above = typedNumber(bands[index - 1]?.minimum ?? '')
    if (!isShare(from)) return { word: 'faultNumber', at }
    if (above !== null && from >= above) return { word: 'faultOrder', at }
    if (letter.trim() === '' || letters.has(letter.trim())) return { word: 'faultLetter', at }
    if (remark.trim() === '') return { word: 'faultRemark', at }
    letters.add(letter.trim())
  }
  return typedNumber(bands.at(-1)?.minimum ?? '') === 0 ? null : { word: 'faultLast', at: bands.length }
}

/** The request body for a scale without faults. */
export const toBody = (bands: readonly Band[], passMark: string) => ({
  passMark: typedNumber(passMark) ?? 0,
  bands: bands.map(({ letter, minimum, remark }) => ({ letter: letter.trim(), minimum: typedNumber(minimum) ?? 0, remark: remark.trim() })),
})
