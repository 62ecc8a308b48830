/** Whether the name means this computer alone, so that the address is useless on another one. */
export const isLoopback = (hostname: string): boolean => /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
