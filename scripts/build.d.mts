/** Builds the app into dist/app where a source is newer. */
export function ensureAppBuilt(): Promise<void>
/** The same, and the server into dist/markbook.mjs. */
export function ensureBuilt(): Promise<void>
/** The server alone. */
export function ensureServerBuilt(): Promise<void>
