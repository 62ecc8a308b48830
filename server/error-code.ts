/** The code of an error of Node or of a database, such as `ENOENT`; empty where it has none. */
export const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '')
