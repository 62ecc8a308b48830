/** Program and system of a browser's device by name; null where they are not recognised. */
export type Device = { program: string | null; system: string | null }

/** The teachers' program (docs/design/desktop.md). */
export const OWN_PROGRAM = 'Markbook'

/** «Firefox on Windows», «Markbook for Windows». */
export function deviceName({ program, system }: Device): string {
  if (program === null) return system ?? 'An unknown device'
  if (system === null) return program
  return program === OWN_PROGRAM ? `${program} for ${system}` : `${program} on ${system}`
}
