import { limits } from '@markbook/shared/limits'
import { type Finding, fine, notice, problem } from './finding.ts'
import { bytes, counted } from './words.ts'

/** Bytes of memory that this machine, or its container, has, and that are free for programs; null where that cannot be known. */
export type Memory = { total: number; free: number | null }

export function checkMemory({ total, free }: Memory): Finding[] {
  const means = 'The system may end the server in the middle of the day; what was saved is safe, what is being typed must be typed again.'
  if (total < limits.doctor.littleMemory)
    return [problem('memory', { what: `This machine has only ${bytes(total)} of memory.`, means, do: 'Use a machine with 1 GB or more.' })]
  if (free !== null && free < limits.doctor.freeMemory)
    return [
      notice('memory', {
        what: `Only ${bytes(free)} of memory are free.`,
        means,
        do: 'End programs that are not needed on this machine, or give it more memory.',
      }),
    ]
  return [fine('memory', `This machine has ${bytes(total)} of memory${free === null ? '' : `, ${bytes(free)} of it free`}.`)]
}

/** What was begun and never finished: a power cut leaves such files behind. */
export type Leftovers = { paths: readonly string[]; size: number }

export const checkLeftovers = ({ paths, size }: Leftovers): Finding[] =>
  paths.length === 0
    ? []
    : [
        notice('leftovers', {
          what: `${counted(paths.length, 'unfinished file or folder')} lie here from a backup, restore or upload that was cut off (${bytes(size)}): ${paths[0]}.`,
          means: 'Nothing: they are no part of the marks, and only take room.',
          do: 'markbook doctor --fix removes them.',
          fix: 'leftovers',
        }),
      ]

/** `warnings`: sentences about the file of settings. */
export type SettingsFound = { file: string | null; warnings: readonly string[] }

export function checkSettings({ file, warnings }: SettingsFound): Finding[] {
  const found = warnings.map((warning) =>
    notice('settings', {
      what: warning,
      means: 'No mark is concerned, but the server does not do what that line was meant to say.',
      do: 'Correct the line, then start the server again; markbook config shows what counts.',
    }),
  )
  return found.length > 0
    ? found
    : [fine('settings', file ? `The settings in ${file} are understood.` : 'There is no file of settings; the usual ones count.')]
}
