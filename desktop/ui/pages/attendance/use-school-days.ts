import { standardSchoolDays } from '@markbook/shared/domain/school-days'
import { useQuery } from '@tanstack/react-query'
import { ask } from '../../api/queries.ts'

/** The school days of the active school; the standard ones where the server cannot be reached; null while they are loading. */
export function useSchoolDays(): readonly number[] | null {
  const school = useQuery(ask('schools', 'mine'))
  return school.isLoading ? null : (school.data?.school_days ?? standardSchoolDays)
}
