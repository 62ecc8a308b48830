import { useQuery } from '@tanstack/react-query'
import { ask } from '../../api/queries.ts'
import { useProfile } from '../../api/session.ts'
import { Options, SelectField } from '../../components/field.tsx'
import { nameOf } from '../../words/names.ts'

type Props = { label: string; hint?: string; error?: string | undefined; value: string; onChange: (teacherId: string) => void }

/** Chooses the class teacher among the teachers of the school, the current person first. */
export function ClassTeacherField({ value, onChange, ...field }: Props) {
  const { id, ...own } = useProfile()
  const staff = useQuery(ask('classes', 'schoolTeachers'))
  const others = (staff.data ?? []).filter((person) => person.id !== id)
  return (
    <SelectField {...field} value={value || id} onChange={({ target }) => onChange(target.value)}>
      <Options of={[{ id, name: nameOf(own) }, ...others.map((person) => ({ id: person.id, name: nameOf(person) }))]} />
    </SelectField>
  )
}
