/** Whether a page under this name is on the server's own computer: an address that is of no use to anybody else. */
export const isOnlyHere = (hostname: string): boolean => /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
