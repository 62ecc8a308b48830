const FULL: unknown[] = ['ENOSPC', 'EDQUOT']

/** True where a file could not be written because the disk, or this account's share of it, is full. */
export const isDiskFull = (error: unknown): boolean => FULL.includes((error as { code?: unknown } | null)?.code)
