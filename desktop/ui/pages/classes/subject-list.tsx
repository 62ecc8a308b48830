import { useQuery } from '@tanstack/react-query'
import { ask } from '../../api/queries.ts'
import { CheckList } from '../../components/field.tsx'

type Props = { label: string; chosen: ReadonlySet<string>; onChange: (chosen: ReadonlySet<string>) => void }

/** Checkboxes for the active subjects, and for chosen ones that are not active any more. */
export function SubjectList({ chosen, ...rest }: Props) {
  const subjects = useQuery(ask('subjects', 'list'))
  const choices = (subjects.data ?? []).filter(({ id, is_active }) => is_active || chosen.has(id))
  return <CheckList {...rest} choices={choices} chosen={chosen} />
}
