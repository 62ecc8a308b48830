import { useQuery } from '@tanstack/react-query'
import { ask, askWhole } from '../../api/queries.ts'

type Named = { id: string; name: string }

/** Who is in which of the classes of a year that this person may see, and how many are in each; null until that is known. */
export function usePlaces(yearId: string | undefined) {
  const query = { academicYearId: yearId ?? '' }
  const classes = useQuery({ ...ask('classes', 'list', { query }), enabled: yearId !== undefined })
  const places = useQuery({ ...askWhole('classes', 'places', { query }), enabled: yearId !== undefined })
  if (!classes.data || !places.data) return null
  const byId = new Map<string, Named>(classes.data.map(({ id, name }) => [id, { id, name }]))
  const classByStudentId = new Map<string, Named>()
  const countByClassId = new Map<string, number>()
  for (const { student_id, student_group_id } of places.data) {
    const group = byId.get(student_group_id)
    if (group) classByStudentId.set(student_id, group)
    countByClassId.set(student_group_id, (countByClassId.get(student_group_id) ?? 0) + 1)
  }
  return { classByStudentId, countByClassId }
}
