import { standardSchoolDays } from '@markbook/shared/domain/school-days'
import { useQuery } from '@tanstack/react-query'
import { ask } from '../../api/queries.ts'

/** The school days of the own school, the standard ones where it cannot be asked; null while it is. */
export function useSchoolDays(): readonly number[] | null {
  const school = useQuery(ask('schools', 'mine'))
  return school.isLoading ? null : (school.data?.school_days ?? standardSchoolDays)
}
