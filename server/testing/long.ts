/** True under `npm run test:all`: the runs that take minutes. The only place that reads how long the tests may be. */
export const long: boolean = process.env['TEST_LONG'] === '1'

/** How often something is done: `short` in `npm test`, `often` in `npm run test:all`. */
export const times = (short: number, often: number): number => (long ? often : short)
