/** Whether a host name always means the computer itself, so that colleagues cannot use it. */
export const isLoopback = (hostname: string): boolean => /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
