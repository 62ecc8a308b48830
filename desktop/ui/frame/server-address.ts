import { useQuery } from '@tanstack/react-query'
import { ask } from '../api/queries.ts'
import { isAdmin, useProfile } from '../api/session.ts'
import { isLoopback } from './loopback.ts'

/**
 * The address of this server for other computers: that of this page; for a loopback address the server's first address in the network,
 * which only administrators are told; else undefined.
 */
export function useServerAddress(): string | undefined {
  const isHere = isLoopback(location.hostname)
  const mayBeTold = isAdmin(useProfile())
  const reached = useQuery({ ...ask('schools', 'addresses'), enabled: isHere && mayBeTold })
  return isHere ? reached.data?.urls[0] : location.origin
}

/** Replaces loopback addresses in a text of the server by `address`. */
export const withAddress = (text: string, address: string | undefined): string =>
  text.replace(PAGE, (origin) => (address && isLoopback(new URL(origin).hostname) ? address : origin))

/** Whether a text has a loopback address. */
export const namesLoopback = (text: string): boolean => text.match(PAGE)?.some((origin) => isLoopback(new URL(origin).hostname)) ?? false

const PAGE = /https?:\/\/[\w.:[\]-]+/g
