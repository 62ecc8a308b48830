/** Builds the app into dist/app where a source is newer. */
export function ensureAppBuilt(): void
