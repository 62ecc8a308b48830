/** Builds the app into dist/app where a source is newer. */
export function ensureAppBuilt(): Promise<void>
/** Builds the app and the server (dist/markbook.mjs) where a source is newer. */
export function ensureBuilt(): Promise<void>
/** Builds only the server. */
export function ensureServerBuilt(): Promise<void>
