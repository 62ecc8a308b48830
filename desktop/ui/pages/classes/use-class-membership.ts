import { useQuery } from '@tanstack/react-query'
import { ask, askWhole } from '../../api/queries.ts'

type ClassName = { id: string; name: string }

/** The class of each pupil and the size of each class, for the classes of a year that this person may see; null while loading. */
export function useClassMembership(yearId: string | undefined) {
  const query = { academicYearId: yearId ?? '' }
  const classes = useQuery({ ...ask('classes', 'list', { query }), enabled: yearId !== undefined })
  const enrolments = useQuery({ ...askWhole('classes', 'places', { query }), enabled: yearId !== undefined })
  if (!classes.data || !enrolments.data) return null
  const byId = new Map<string, ClassName>(classes.data.map(({ id, name }) => [id, { id, name }]))
  const classByStudentId = new Map<string, ClassName>()
  const countByClassId = new Map<string, number>()
  for (const { student_id, student_group_id } of enrolments.data) {
    const group = byId.get(student_group_id)
    if (group) classByStudentId.set(student_id, group)
    countByClassId.set(student_group_id, (countByClassId.get(student_group_id) ?? 0) + 1)
  }
  return { classByStudentId, countByClassId }
}
