import { type Finding, fine, notice } from './finding.ts'

/** `warnings`: sentences about the settings file; `file`: null where there is none. */
export type SettingsFound = { file: string | null; warnings: readonly string[] }

export function checkSettings({ file, warnings }: SettingsFound): Finding[] {
  const found = warnings.flatMap((warning) =>
    notice('settings', {
      what: warning,
      means: 'No mark is concerned, but the server does not do what that line was meant to say.',
      do: 'Correct the line, then start the server again; markbook config shows what counts.',
    }),
  )
  return found.length > 0
    ? found
    : fine('settings', file ? `The settings in ${file} are understood.` : 'There is no settings file; the defaults apply.')
}
