import type { AcademicYear } from '@markbook/shared/contract/academic-years'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Actions, Form, Row, SelectField, TextField } from '../../components/field.tsx'
import { FailureNotice } from '../../components/page.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { issueOf } from '../../words/failure.ts'
import { editable, typedNumber } from '../../words/format.ts'
import { sumOf, WeightFields } from './weights.tsx'

type Draft = {
  name: string
  start: string
  end: string
  model: AcademicYear['grading_model']
  calculation: AcademicYear['calculation_model']
  exam: string
  coursework: string
}

const draftOf = (year: AcademicYear | null): Draft => ({
  name: year?.name ?? '',
  start: year?.start_date ?? '',
  end: year?.end_date ?? '',
  model: year?.grading_model ?? 'term_based',
  calculation: year?.grading_model === 'year_based' ? year.calculation_model : 'weighted_continuous',
  exam: editable(year?.year_exam_weight ?? 60),
  coursework: editable(year?.year_coursework_weight ?? 40),
})

/** A year counted by its terms has no weights of its own (decisions §4). */
const toBody = ({ name, start, end, model, calculation, exam, coursework }: Draft) => ({
  name: name.trim(),
  startDate: start,
  endDate: end,
  gradingModel: model,
  calculationModel: model === 'year_based' ? calculation : null,
  yearExamWeight: model === 'year_based' ? typedNumber(exam) : null,
  yearCourseworkWeight: model === 'year_based' ? typedNumber(coursework) : null,
})

type Props = { year: AcademicYear | null; onClose: () => void; onDelete?: () => void }

/** Adds a year (`year` is null) or changes one. */
export function YearDialog({ year, onClose, onDelete }: Props) {
  const { t } = useTranslation(['years', 'app'])
  const { tell } = useToasts()
  const create = useSave('academicYears', 'create')
  const update = useSave('academicYears', 'update', ['terms'])
  const activate = useSave('academicYears', 'activate', ['terms', 'classes'])
  const years = useQuery(ask('academicYears', 'list'))
  const [draft, setDraft] = useState(() => draftOf(year))
  const [isTried, setTried] = useState(false)
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change })
  const failure = create.error ?? update.error ?? activate.error
  const missing = (text: string) => (isTried && text.trim() === '' ? t('app:field.required') : undefined)
  const isWhole = draft.name.trim() && draft.start && draft.end && (draft.model === 'term_based' || sumOf(draft) === 100)
  /** The first year is the one that runs: there is no other to choose. */
  const begin = async (body: ReturnType<typeof toBody>) => {
    const isFirst = years.data?.length === 0
    const made = await create.mutateAsync({ body })
    if (isFirst) await activate.mutateAsync({ params: { id: made.id } })
  }
  const save = async () => {
    setTried(true)
    if (!isWhole) return
    const body = toBody(draft)
    if (year) await update.mutateAsync({ params: { id: year.id }, body })
    else await begin(body)
    tell(t('saved', { name: body.name }))
    onClose()
  }
  return (
    <Dialog open title={year ? t('changeYear', { name: year.name }) : t('newYear')} onClose={onClose}>
      <Form onSend={() => void save().catch(() => null)}>
        <FailureNotice failure={failure} />
        <TextField
          label={t('name')}
          hint={t('nameHint')}
          value={draft.name}
          maxLength={200}
          error={missing(draft.name) ?? issueOf(failure, 'name')}
          onChange={({ target }) => set({ name: target.value })}
        />
        <Row>
          <TextField
            label={t('start')}
            type="date"
            value={draft.start}
            error={missing(draft.start) ?? issueOf(failure, 'startDate')}
            onChange={({ target }) => set({ start: target.value })}
          />
          <TextField
            label={t('end')}
            type="date"
            value={draft.end}
            error={missing(draft.end) ?? issueOf(failure, 'endDate')}
            onChange={({ target }) => set({ end: target.value })}
          />
        </Row>
        <SelectField
          label={t('model')}
          hint={t(draft.model === 'term_based' ? 'termBasedHint' : 'yearBasedHint')}
          value={draft.model}
          onChange={({ target }) => set({ model: target.value as Draft['model'] })}
        >
          <option value="term_based">{t('term_based')}</option>
          <option value="year_based">{t('year_based')}</option>
        </SelectField>
        {draft.model === 'year_based' && (
          <>
            <SelectField
              label={t('calculation')}
              value={draft.calculation}
              onChange={({ target }) => set({ calculation: target.value as Draft['calculation'] })}
            >
              {(['weighted_continuous', 'continuous_cumulative', 'weighted_cumulative'] as const).map((model) => (
                <option key={model} value={model}>
                  {t(model)}
                </option>
              ))}
            </SelectField>
            <WeightFields
              labels={{ exam: t('yearExam'), coursework: t('yearCoursework') }}
              value={draft}
              error={issueOf(failure, 'yearExamWeight')}
              onChange={set}
            />
          </>
        )}
        <Actions>
          {onDelete && (
            <Button look="danger" onClick={onDelete}>
              {t('app:action.delete')}
            </Button>
          )}
          <Button onClick={onClose}>{t('app:action.cancel')}</Button>
          <Button
            type="submit"
            look="primary"
            busy={create.isPending || update.isPending || activate.isPending}
            busyWord={t('app:state.saving')}
          >
            {t('app:action.save')}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  )
}
