import { useQuery } from '@tanstack/react-query'
import { askWhole } from '../../api/queries.ts'
import { useChosenTerm } from '../../frame/chosen-term.ts'

/** The progress of the classes in the chosen term; not read without a term, or where it is not `wanted`. */
export function useClassProgress(wanted = true) {
  const { term } = useChosenTerm()
  const asked = askWhole('classes', 'progress', { query: { termId: term?.id ?? '' } })
  return useQuery({ ...asked, staleTime: 0, enabled: wanted && term !== null })
}
