import { useQuery } from '@tanstack/react-query'
import { ask } from '../api/queries.ts'
import { isLoopback } from './loopback.ts'

/**
 * The address under which other computers reach this server: that of this page, or where it is a loopback address, the server's first
 * address in the network, if any. For administrators.
 */
export function useServerAddress(): string | undefined {
  const isHere = isLoopback(location.hostname)
  const reached = useQuery({ ...ask('schools', 'addresses'), enabled: isHere })
  return isHere ? reached.data?.urls[0] : location.origin
}
