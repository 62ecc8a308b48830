import { useQuery } from '@tanstack/react-query'
import { ask } from '../../api/queries.ts'

/** The school's letters and pass mark, which hardly ever change. */
export const useScale = () => useQuery({ ...ask('gradingScale', 'get'), staleTime: 300_000 })
