/** What a browser says of the device it runs on: program and system by name, null where it does not say one that is known. */
export type Device = { program: string | null; system: string | null }

/** The program in its own window (docs/design/desktop.md). */
export const OWN_PROGRAM = 'Markbook'

/** «Firefox on Windows», «Markbook for Windows». */
export function deviceName({ program, system }: Device): string {
  if (program === null) return system ?? 'An unknown device'
  if (system === null) return program
  return program === OWN_PROGRAM ? `${program} for ${system}` : `${program} on ${system}`
}
