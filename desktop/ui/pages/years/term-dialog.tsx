import type { AcademicYear } from '@markbook/shared/contract/academic-years'
import type { Term } from '@markbook/shared/contract/terms'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSave } from '../../api/queries.ts'
import { ConfirmDialog, FormDialog } from '../../components/dialog.tsx'
import { Checkbox, Options, Row, SelectField, TextField } from '../../components/field.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { useDraft } from '../../components/use-draft.ts'
import { issueOf } from '../../words/failure.ts'
import { editable, typedNumber } from '../../words/format.ts'
import { sumOf, WeightFields } from './weights.tsx'

type Props = { year: AcademicYear; term: Term | null; free: readonly Term['name'][]; onClose: () => void }

/** Adds a term to the year (`term` is null) or changes one. */
export function TermDialog({ year, term, free, onClose }: Props) {
  const { t } = useTranslation(['years', 'app'])
  const { tell } = useToasts()
  const create = useSave('terms', 'create')
  const update = useSave('terms', 'update')
  const remove = useSave('terms', 'remove')
  const [isDeleting, setDeleting] = useState(false)
  const failure = create.error ?? update.error
  const initial = () => ({
    name: term?.name ?? free[0] ?? ('michaelmas' as const),
    startDate: term?.start_date ?? year.start_date,
    endDate: term?.end_date ?? year.end_date,
    exam: editable(term?.exam_weight ?? 60),
    coursework: editable(term?.coursework_weight ?? 40),
    isMinistry: term?.is_ministry_reporting ?? false,
  })
  const { draft, set, field } = useDraft(initial, failure)
  const shownName = t(`app:term.${draft.name}`)
  const save = async () => {
    if (sumOf(draft) !== 100) return
    const body = {
      name: draft.name,
      startDate: draft.startDate,
      endDate: draft.endDate,
      examWeight: typedNumber(draft.exam) ?? 0,
      courseworkWeight: typedNumber(draft.coursework) ?? 0,
      isMinistryReporting: draft.isMinistry,
    }
    if (term) await update.mutateAsync({ params: { id: term.id }, body })
    else await create.mutateAsync({ body: { academicYearId: year.id, ...body } })
    tell(t('saved', { name: shownName }))
    onClose()
  }
  if (term && isDeleting) {
    const confirm = () => remove.mutateAsync({ params: { id: term.id } })
    return <ConfirmDialog title={t('deleteTerm', { name: shownName })} text={t('deleteTermText')} onConfirm={confirm} onClose={onClose} />
  }
  return (
    <FormDialog
      title={term ? t('changeTerm', { name: shownName }) : t('newTerm')}
      failure={failure}
      busy={create.isPending || update.isPending}
      onSave={save}
      onDelete={term ? () => setDeleting(true) : undefined}
      onClose={onClose}
    >
      <SelectField label={t('term')} value={draft.name} onChange={({ target }) => set({ name: target.value as Term['name'] })}>
        <Options of={[...(term ? [term.name] : []), ...free].map((id) => ({ id, name: t(`app:term.${id}`) }))} />
      </SelectField>
      <Row>
        <TextField {...field('startDate')} label={t('start')} type="date" min={year.start_date} max={year.end_date} />
        <TextField {...field('endDate')} label={t('end')} type="date" min={year.start_date} max={year.end_date} />
      </Row>
      <WeightFields
        labels={{ exam: t('exam'), coursework: t('coursework') }}
        value={draft}
        error={issueOf(failure, 'examWeight')}
        onChange={set}
      />
      <Checkbox
        label={
          <>
            {t('ministry')}. {t('ministryHint')}
          </>
        }
        checked={draft.isMinistry}
        onChange={({ target }) => set({ isMinistry: target.checked })}
      />
    </FormDialog>
  )
}
