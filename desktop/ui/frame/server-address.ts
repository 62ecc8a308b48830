import { useQuery } from '@tanstack/react-query'
import { ask } from '../api/queries.ts'
import { isAdmin, useProfile } from '../api/session.ts'
import { isLoopback } from './loopback.ts'

/**
 * The address under which other computers reach this server: that of this page, or where it is a loopback address, the server's first
 * address in the network, if any. Administrators alone are told that.
 */
export function useServerAddress(): string | undefined {
  const isHere = isLoopback(location.hostname)
  const isTold = isAdmin(useProfile())
  const reached = useQuery({ ...ask('schools', 'addresses'), enabled: isHere && isTold })
  return isHere ? reached.data?.urls[0] : location.origin
}

/** A text that the server wrote, with the address under which others reach it wherever it names one that answers on its own computer alone. */
export const withAddress = (text: string, address: string | undefined): string =>
  text.replace(PAGE, (origin) => (address && isLoopback(new URL(origin).hostname) ? address : origin))

/** Whether a text names an address that answers on one computer alone. */
export const namesLoopback = (text: string): boolean => text.match(PAGE)?.some((origin) => isLoopback(new URL(origin).hostname)) ?? false

const PAGE = /https?:\/\/[\w.:[\]-]+/g
