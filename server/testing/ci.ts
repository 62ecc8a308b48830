/** Set by `.ci/run` and CI services. Then tests run in full, and a missing tool is a failure. */
export const isCi: boolean = !['', '0', 'false'].includes(process.env['CI'] ?? '')
