/** What can be looked at, in the order in which it is told. */
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
  'lines',
  'mail',
  'port',
  'memory',
  'leftovers',
] as const
export type Check = (typeof checks)[number]

/** What `markbook doctor --fix` can do, in the order in which it does it. A restore is never among them: a person decides that. */
export const fixNames = ['rights', 'leftovers', 'log', 'room', 'copy-folder', 'certificate', 'backup'] as const
export type FixName = (typeof fixNames)[number]

/** `what` is so, what that `means` for the marks, what to `do`: one sentence each, for somebody who is no engineer. */
export type Trouble = { what: string; means: string; do: string; fix?: FixName }
export type Finding = { check: Check } & (({ severity: 'notice' | 'problem' } & Trouble) | { severity: 'ok'; what: string })

/** A list of one finding each, so that lists of findings are put together from them. */
export const fine = (check: Check, what: string): Finding[] => [{ check, severity: 'ok', what }]
export const notice = (check: Check, trouble: Trouble): Finding[] => [{ check, severity: 'notice', ...trouble }]
export const problem = (check: Check, trouble: Trouble): Finding[] => [{ check, severity: 'problem', ...trouble }]

/** All of these lists; what does not apply is left out. */
export const findings = (...parts: readonly (Finding[] | '' | 0 | false | null | undefined)[]): Finding[] =>
  parts.flatMap((part) => part || [])
