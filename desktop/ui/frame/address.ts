import { useQuery } from '@tanstack/react-query'
import { ask } from '../api/queries.ts'
import { isOnlyHere } from './only-here.ts'

/**
 * What other computers use to reach this server: the address of this page, or where it is one of this computer alone, the one that others
 * use, if any. For administrators.
 */
export function useAddress(): string | undefined {
  const isHere = isOnlyHere(location.hostname)
  const reached = useQuery({ ...ask('schools', 'addresses'), enabled: isHere })
  return isHere ? reached.data?.urls[0] : location.origin
}
