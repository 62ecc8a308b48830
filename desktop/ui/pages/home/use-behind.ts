import { useQueries } from '@tanstack/react-query'
import type { ChosenTerm } from '../../frame/chosen-term.ts'
import { isBehind } from '../reports/standings.ts'
import { standingAsked } from '../reports/use-standing.ts'

export type Behind = { classId: string; type: 'term' | 'year_end'; count: number }

/** In which of these classes marks were changed after books were made, and in how many books; what is not known yet is left out. */
export function useBehind(classIds: readonly string[], { year, term }: Pick<ChosenTerm, 'year' | 'term'>): Behind[] {
  const types = year?.grading_model === 'year_based' ? (['term', 'year_end'] as const) : (['term'] as const)
  const asked = term ? classIds.flatMap((classId) => types.map((type) => ({ classId, termId: term.id, type }))) : []
  const answers = useQueries({ queries: asked.map((of) => standingAsked(of)) })
  return asked.flatMap(({ classId, type }, at) => {
    const count = answers[at]?.data?.filter(isBehind).length ?? 0
    return count > 0 ? [{ classId, type, count }] : []
  })
}
