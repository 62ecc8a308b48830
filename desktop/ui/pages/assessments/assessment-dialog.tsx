import type { Assessment, AssessmentInput } from '@markbook/shared/contract/assessments'
import { useQuery } from '@tanstack/react-query'
import { type ChangeEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, useSave } from '../../api/queries.ts'
import { FormDialog } from '../../components/dialog.tsx'
import { Checkbox, Options, Row, SelectField, TextArea, TextField } from '../../components/field.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { useDraft } from '../../components/use-draft.ts'
import { editable, typedNumber } from '../../words/format.ts'

type Props = {
  /** Null for a new one. */
  assessment: Assessment | null
  termId: string
  subjectId: string
  /** The class from which it was opened; a new one is offered for it or for every class. */
  classId: string | null
  onClose: () => void
}

/** Adds or changes an assessment. */
export function AssessmentDialog({ assessment, termId, subjectId, classId, onClose }: Props) {
  const { t } = useTranslation('assessments')
  const { tell } = useToasts()
  const create = useSave('assessments', 'create', ['grades', 'classes'])
  const update = useSave('assessments', 'update', ['grades', 'classes'])
  const exclude = useSave('assessments', 'exclude', ['grades'])
  const failure = create.error ?? update.error ?? exclude.error
  const { draft, set, field, check } = useDraft<Draft>(() => draftOf(assessment), failure, ['title'])
  const [isTried, setTried] = useState(false)
  const [isDeleting, setDeleting] = useState(false)
  const faults = isTried ? numberFaults(draft) : {}
  const save = async () => {
    setTried(true)
    if (!check() || Object.keys(numberFaults(draft)).length > 0) return
    const body = toBody(draft)
    if (!assessment) await create.mutateAsync({ body: { termId, subjectId, ...body } })
    else await update.mutateAsync({ params: { id: assessment.id }, body })
    const { isExcluded, exclusionReason } = draft
    if (assessment && (assessment.is_excluded !== isExcluded || (assessment.exclusion_reason ?? '') !== exclusionReason)) {
      const exclusion = { isExcluded, exclusionReason: isExcluded && exclusionReason ? exclusionReason : null }
      await exclude.mutateAsync({ params: { id: assessment.id }, body: exclusion })
    }
    tell(t('saved', { title: draft.title }))
    onClose()
  }
  if (assessment && isDeleting) return <DeleteAssessment assessment={assessment} onClose={onClose} />
  return (
    <FormDialog
      title={assessment ? t('change', { title: assessment.title }) : t('new')}
      failure={failure}
      busy={create.isPending || update.isPending || exclude.isPending}
      onSave={save}
      onDelete={assessment ? () => setDeleting(true) : undefined}
      onClose={onClose}
    >
      <TextField label={t('name')} hint={t('nameHint')} maxLength={200} {...field('title')} />
      <Row>
        <SelectField label={t('type')} {...field('assessmentType')}>
          <option value="coursework">{t('coursework')}</option>
          <option value="exam">{t('exam')}</option>
        </SelectField>
        <TextField label={t('date')} optional type="date" {...field('assessmentDate')} />
      </Row>
      <Row>
        <TextField
          label={t('max')}
          hint={t('maxHint')}
          inputMode="decimal"
          {...field('maxScore')}
          {...(faults.maxScore && { error: t(faults.maxScore) })}
        />
        <TextField
          label={t('weight')}
          optional
          hint={t('weightHint')}
          inputMode="decimal"
          {...field('weight')}
          {...(faults.weight && { error: t(faults.weight) })}
        />
      </Row>
      <ClassChoice offered={classId} {...field('studentGroupId')} />
      {assessment && (
        <Checkbox label={t('counts')} checked={!draft.isExcluded} onChange={({ target }) => set({ isExcluded: !target.checked })} />
      )}
      {draft.isExcluded && <TextArea label={t('reason')} optional hint={t('reasonHint')} maxLength={500} {...field('exclusionReason')} />}
    </FormDialog>
  )
}

type ClassChoiceProps = {
  value: string
  offered: string | null
  error: string | undefined
  onChange: (event: ChangeEvent<HTMLSelectElement>) => void
}

/** Every class, the class of the opening page, or the current one. */
function ClassChoice({ value, offered, ...field }: ClassChoiceProps) {
  const { t } = useTranslation('assessments')
  const classes = useQuery(ask('classes', 'list'))
  const choices = (classes.data ?? []).filter(({ id }) => id === offered || id === value)
  return (
    <SelectField label={t('class')} value={value} {...field}>
      <option value="">{t('everyClass')}</option>
      <Options of={choices.map(({ id, name }) => ({ id, name: t('classOnly', { name }) }))} />
      {value !== '' && choices.every(({ id }) => id !== value) && <option value={value}>…</option>}
    </SelectField>
  )
}

/** Deletes an assessment and its marks, once its title was typed. */
function DeleteAssessment({ assessment, onClose }: { assessment: Assessment; onClose: () => void }) {
  const { t } = useTranslation(['assessments', 'app'])
  const { tell } = useToasts()
  const remove = useSave('assessments', 'remove', ['grades'])
  const [typed, setTyped] = useState('')
  const isSure = typed.trim() === assessment.title.trim()
  const confirm = async () => {
    if (!isSure) return
    await remove.mutateAsync({ params: { id: assessment.id } })
    tell(t('deleted', { title: assessment.title }))
    onClose()
  }
  return (
    <FormDialog
      danger
      title={t('delete', { title: assessment.title })}
      lead={t('deleteText')}
      failure={remove.error}
      action={t('app:action.delete')}
      disabled={!isSure}
      busy={remove.isPending}
      busyWord={t('app:state.deleting')}
      onSave={confirm}
      onClose={onClose}
    >
      <TextField label={t('typeTitle')} value={typed} onChange={({ target }) => setTyped(target.value)} />
    </FormDialog>
  )
}

/** An assessment as typed, by the names of the request: numbers as text, '' for an empty field. */
type Draft = {
  title: string
  assessmentType: 'exam' | 'coursework'
  assessmentDate: string
  maxScore: string
  weight: string
  studentGroupId: string
  isExcluded: boolean
  exclusionReason: string
}

const draftOf = (assessment: Assessment | null): Draft => ({
  title: assessment?.title ?? '',
  assessmentType: assessment?.assessment_type ?? 'coursework',
  assessmentDate: assessment?.assessment_date ?? '',
  maxScore: editable(assessment?.max_score ?? 100),
  weight: assessment?.weight == null ? '' : editable(assessment.weight),
  studentGroupId: assessment?.student_group_id ?? '',
  isExcluded: assessment?.is_excluded ?? false,
  exclusionReason: assessment?.exclusion_reason ?? '',
})

type NumberFaults = { maxScore?: 'notNumber' | 'maxAboveZero'; weight?: 'notNumber' }

/** The numbers that cannot be sent; the server checks the rest. */
function numberFaults({ maxScore, weight }: Draft): NumberFaults {
  const max = typedNumber(maxScore)
  return {
    ...(max === null ? { maxScore: 'notNumber' } : max <= 0 && { maxScore: 'maxAboveZero' }),
    ...(weight.trim() !== '' && typedNumber(weight) === null && { weight: 'notNumber' }),
  }
}

/** The request body of a draft without faults. */
const toBody = ({
  title,
  assessmentType,
  assessmentDate,
  maxScore,
  weight,
  studentGroupId,
}: Draft): Omit<AssessmentInput, 'termId' | 'subjectId'> => ({
  title: title.trim(),
  assessmentType,
  assessmentDate: assessmentDate || null,
  maxScore: typedNumber(maxScore) ?? 0,
  weight: weight.trim() === '' ? null : typedNumber(weight),
  studentGroupId: studentGroupId || null,
})
