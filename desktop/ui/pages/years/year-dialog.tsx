import type { AcademicYear } from '@markbook/shared/contract/academic-years'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask, useSave } from '../../api/queries.ts'
import { FormDialog } from '../../components/dialog.tsx'
import { Options, Row, SelectField, TextField } from '../../components/field.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { useDraft } from '../../components/use-draft.ts'
import { issueOf } from '../../words/failure.ts'
import { editable, typedNumber } from '../../words/format.ts'
import { sumOf, WeightFields } from './weights.tsx'

type Draft = {
  name: string
  startDate: string
  endDate: string
  model: AcademicYear['grading_model']
  calculation: AcademicYear['calculation_model']
  exam: string
  coursework: string
}

const draftOf = (year: AcademicYear | null): Draft => ({
  name: year?.name ?? '',
  startDate: year?.start_date ?? '',
  endDate: year?.end_date ?? '',
  model: year?.grading_model ?? 'term_based',
  calculation: year?.grading_model === 'year_based' ? year.calculation_model : 'weighted_continuous',
  exam: editable(year?.year_exam_weight ?? 60),
  coursework: editable(year?.year_coursework_weight ?? 40),
})

/** A year counted by its terms has no weights of its own (decisions §4). */
const toBody = ({ name, startDate, endDate, model, calculation, exam, coursework }: Draft) => ({
  name: name.trim(),
  startDate,
  endDate,
  gradingModel: model,
  calculationModel: model === 'year_based' ? calculation : null,
  yearExamWeight: model === 'year_based' ? typedNumber(exam) : null,
  yearCourseworkWeight: model === 'year_based' ? typedNumber(coursework) : null,
})

const calculationModels = ['weighted_continuous', 'continuous_cumulative', 'weighted_cumulative'] as const
type Props = { year: AcademicYear | null; onClose: () => void; onDelete?: () => void }

/** Adds a year (`year` is null) or changes one. */
export function YearDialog({ year, onClose, onDelete }: Props) {
  const { t } = useTranslation(['years', 'app'])
  const { tell } = useToasts()
  const create = useSave('academicYears', 'create')
  const update = useSave('academicYears', 'update', ['terms'])
  const activate = useSave('academicYears', 'activate', ['terms', 'classes'])
  const years = useQuery(ask('academicYears', 'list'))
  const failure = create.error ?? update.error ?? activate.error
  const { draft, set, field, check } = useDraft(() => draftOf(year), failure, ['name', 'startDate', 'endDate'])
  /** The first year becomes the active one. */
  const createYear = async (body: ReturnType<typeof toBody>) => {
    const isFirst = years.data?.length === 0
    const made = await create.mutateAsync({ body })
    if (isFirst) await activate.mutateAsync({ params: { id: made.id } })
  }
  const save = async () => {
    if (!check() || (draft.model === 'year_based' && sumOf(draft) !== 100)) return
    const body = toBody(draft)
    if (year) await update.mutateAsync({ params: { id: year.id }, body })
    else await createYear(body)
    tell(t('saved', { name: body.name }))
    onClose()
  }
  return (
    <FormDialog
      title={year ? t('changeYear', { name: year.name }) : t('newYear')}
      failure={failure}
      busy={create.isPending || update.isPending || activate.isPending}
      onSave={save}
      onDelete={onDelete}
      onClose={onClose}
    >
      <TextField {...field('name')} label={t('name')} hint={t('nameHint')} maxLength={200} />
      <Row>
        <TextField {...field('startDate')} label={t('start')} type="date" />
        <TextField {...field('endDate')} label={t('end')} type="date" />
      </Row>
      <SelectField
        label={t('model')}
        hint={t(draft.model === 'term_based' ? 'termBasedHint' : 'yearBasedHint')}
        value={draft.model}
        onChange={({ target }) => set({ model: target.value as Draft['model'] })}
      >
        <Options of={(['term_based', 'year_based'] as const).map((id) => ({ id, name: t(id) }))} />
      </SelectField>
      {draft.model === 'year_based' && (
        <>
          <SelectField
            label={t('calculation')}
            value={draft.calculation}
            onChange={({ target }) => set({ calculation: target.value as Draft['calculation'] })}
          >
            <Options of={calculationModels.map((id) => ({ id, name: t(id) }))} />
          </SelectField>
          <WeightFields
            labels={{ exam: t('yearExam'), coursework: t('yearCoursework') }}
            value={draft}
            error={issueOf(failure, 'yearExamWeight')}
            onChange={set}
          />
        </>
      )}
    </FormDialog>
  )
}
