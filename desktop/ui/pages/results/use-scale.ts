import { useQuery } from '@tanstack/react-query'
import { ask } from '../../api/queries.ts'

/** The grading scale of the school. It rarely changes. */
export const useScale = () => useQuery({ ...ask('gradingScale', 'get'), staleTime: 300_000 })
