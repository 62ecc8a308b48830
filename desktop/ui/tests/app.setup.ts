import { ensureBuilt } from '../../../scripts/build.mjs'

/** Vitest global setup of the browser tests: builds the app, and the worker that makes documents. */
export default ensureBuilt
