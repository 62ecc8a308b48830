/** The topics of the checks, in the order of the report. */
const checks = [
  'settings',
  'database',
  'encryption',
  'audit',
  'server',
  'backups',
  'disk',
  'folder',
  'rights',
  'clock',
  'certificate',
  'replication',
  'files',
  'lines',
  'mail',
  'port',
  'memory',
  'leftovers',
] as const
export type Check = (typeof checks)[number]

/** What `markbook doctor --fix` can do, in the order in which it does it. Restoring is not among them: a person decides that. */
export const fixNames = ['rights', 'leftovers', 'log', 'room', 'copy-folder', 'certificate', 'backup'] as const
export type FixName = (typeof fixNames)[number]

/** One sentence each, for a reader who is no engineer: `what` was found, what it `means` for the marks, and what to `do`. */
export type Trouble = { what: string; means: string; do: string; fix?: FixName }
export type Finding = { check: Check } & (({ severity: 'notice' | 'problem' } & Trouble) | { severity: 'ok'; what: string })

/** A finding without a problem, as a list, like the other functions return. */
export const fine = (check: Check, what: string): Finding[] => [{ check, severity: 'ok', what }]
export const notice = (check: Check, trouble: Trouble): Finding[] => [{ check, severity: 'notice', ...trouble }]
export const problem = (check: Check, trouble: Trouble): Finding[] => [{ check, severity: 'problem', ...trouble }]

/** Joins lists of findings; leaves out conditions that are false. */
export const findings = (...parts: readonly (Finding[] | '' | 0 | false | null | undefined)[]): Finding[] =>
  parts.flatMap((part) => part || [])
