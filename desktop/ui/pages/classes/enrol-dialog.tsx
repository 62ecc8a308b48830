import { useQueries, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, askWhole, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { CheckList } from '../../components/check-list.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Actions, Checkbox, Form, TextField } from '../../components/field.tsx'
import { Empty, FailureNotice, Loading } from '../../components/page.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { listedName } from '../../words/names.ts'

/** Many at once: everybody of the school who is in no class of the year, with a search; what is ticked stays ticked. */
export function EnrolDialog({
  classId,
  className,
  yearId,
  onClose,
}: {
  classId: string
  className: string
  yearId: string
  onClose: () => void
}) {
  const { t } = useTranslation(['classes', 'app'])
  const { tell } = useToasts()
  const [search, setSearch] = useState('')
  const asked = useDeferredValue(search.trim())
  const { free, isLoading } = useFreeStudents(yearId, asked)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const enrol = useSave('classes', 'enrollBulk', ['students'])
  const shownIds = free.map(({ id }) => id)
  const isAll = shownIds.length > 0 && shownIds.every((id) => chosen.has(id))
  const toggleAll = () => setChosen(isAll ? new Set([...chosen].filter((id) => !shownIds.includes(id))) : new Set([...chosen, ...shownIds]))
  const save = async () => {
    if (chosen.size === 0) return
    const made = await enrol.mutateAsync({ params: { id: classId }, body: { studentIds: [...chosen] } })
    tell(t('enrolled', { count: made.length }))
    onClose()
  }
  return (
    <Dialog open title={t('enrolTitle', { name: className })} lead={t('enrolLead')} onClose={onClose}>
      <Form onSend={() => void save().catch(() => null)}>
        <FailureNotice failure={enrol.error} />
        <TextField label={t('find')} type="search" value={search} onChange={({ target }) => setSearch(target.value)} />
        {isLoading && <Loading />}
        {!isLoading && free.length === 0 && <Empty>{t('nobodyToEnrol')}</Empty>}
        {free.length > 0 && (
          <>
            <Checkbox label={t('all')} checked={isAll} onChange={toggleAll} />
            <CheckList
              label={t('students')}
              choices={free.map((student) => ({
                id: student.id,
                name: [listedName(student), student.student_number].filter(Boolean).join(' · '),
              }))}
              chosen={chosen}
              onChange={setChosen}
            />
          </>
        )}
        <Actions>
          <Button onClick={onClose}>{t('app:action.cancel')}</Button>
          <Button type="submit" look="primary" disabled={chosen.size === 0} busy={enrol.isPending} busyWord={t('app:state.saving')}>
            {t('enrolChosen', { count: chosen.size })}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  )
}

/** Active pupils of the school who are in no class of this year, by last name. */
function useFreeStudents(yearId: string, search: string) {
  const students = useQuery(askWhole('students', 'list', { query: { isActive: 'true', ...(search && { search }) } }))
  const classes = useQuery(ask('classes', 'list', { query: { academicYearId: yearId } }))
  const enrolled = useQueries({ queries: (classes.data ?? []).map(({ id }) => ask('classes', 'students', { params: { id } })) })
  const taken = new Set(enrolled.flatMap(({ data }) => data ?? []).map(({ id }) => id))
  return {
    free: (students.data ?? []).filter(({ id }) => !taken.has(id)),
    isLoading: students.isLoading || classes.isLoading || enrolled.some(({ isLoading }) => isLoading),
  }
}
