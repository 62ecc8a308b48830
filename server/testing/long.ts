/** True under `npm run test:all`: enables the runs that take minutes. The only place that reads this setting. */
export const long: boolean = process.env['TEST_LONG'] === '1'

/** The number of repetitions: `short` in `npm test`, `often` in `npm run test:all`. */
export const times = (short: number, often: number): number => (long ? often : short)
