import { ensureBuilt } from '../../../scripts/build.mjs'

/** Vitest global setup of the browser tests: the app as it is built for people, and the worker that makes documents. */
export default ensureBuilt
