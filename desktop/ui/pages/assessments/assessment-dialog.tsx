import type { ListedAssessment as Assessment, AssessmentInput } from '@markbook/shared/contract/assessments'
import { fitsCategory, weightLeft } from '@markbook/shared/domain/categories'
import { Failure } from '@markbook/shared/failures'
import { useQuery } from '@tanstack/react-query'
import type { ChangeEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { useCreateOnce } from '../../api/create-once.ts'
import { ask, save } from '../../api/queries.ts'
import { FormDialog } from '../../components/dialog.tsx'
import { Checkbox, Options, Row, SelectField, TextArea, TextField } from '../../components/field.tsx'
import { Notice } from '../../components/page.tsx'
import { useForm } from '../../components/use-form.ts'
import { backTo, saveWithUndo } from '../../components/with-undo.ts'
import { unsavedNow } from '../../frame/unsaved-count.ts'
import { editable, enumerated, number, typedNumber } from '../../words/format.ts'
import { tellDeleted } from '../bin/restore.ts'

type Props = {
  /** Null for a new assessment. */
  assessment: Assessment | null
  termId: string
  subjectId: string
  /** The class from which the dialog was opened; a new assessment is for this class unless every class is chosen. */
  classId: string | null
  /** The classes that can be chosen beside every class. */
  offered?: readonly string[]
  /** The teaching set from which the dialog was opened, with the same meaning. */
  set?: Named | null
  onAdded?: (id: string) => void
}

type Named = { id: string; name: string }

/** The resources that show other figures after a change. */
const CHANGED = ['grades', 'classes', 'teachingSets'] as const

/** Adds or changes an assessment. */
export function AssessmentDialog({ assessment, termId, subjectId, classId, offered, set: ofSet = null, onAdded }: Props) {
  const { t } = useTranslation('assessments')
  const createOnce = useCreateOnce('assessments')
  const form = useForm({
    initial: () => draftOf(assessment, classId, ofSet),
    required: ['title'],
    isValid: (typed) => Object.keys(numberFaults(typed)).length === 0,
    save: async (typed) => {
      const said = t('saved', { title: typed.title })
      const body = toBody(typed)
      if (!assessment) {
        const create = () =>
          createOnce(
            () => save('assessments', 'create', { body: { termId, subjectId, ...body } }, CHANGED),
            () => client.assessments.list({ query: { termId, subjectId } }),
            (row) => JSON.stringify(toBody(draftOf(row, null, null))) === JSON.stringify(body),
          )
        const added = await saveWithUndo({ said, run: create, back: ({ id }) => removeUnmarked(id) })
        return onAdded?.(added.id)
      }
      const params = { id: assessment.id }
      const before = draftOf(assessment, classId, ofSet)
      const write = (change: Partial<typeof body>) => save('assessments', 'update', { params, body: change }, CHANGED)
      const exclude = (draft: Draft) => save('assessments', 'exclude', { params, body: exclusionOf(draft) }, ['grades'])
      const isMoved = JSON.stringify(exclusionOf(before)) !== JSON.stringify(exclusionOf(typed))
      const back = backTo(toBody(before), body, write)
      await saveWithUndo({
        said,
        run: async () => {
          await write(body)
          if (isMoved) await exclude(typed)
        },
        back:
          back || isMoved
            ? async () => {
                await back?.()
                if (isMoved) await exclude(before)
              }
            : null,
      })
    },
  })
  const { draft, set, field } = form
  const faults = form.isChecked ? numberFaults(draft) : {}
  return (
    <FormDialog
      title={assessment ? t('change', { title: assessment.title }) : t('new')}
      form={form}
      deletion={assessment && <DeleteAssessment assessment={assessment} />}
    >
      <TextField label={t('name')} hint={t('nameHint')} maxLength={200} {...field('title')} />
      <Row>
        <SelectField
          label={t('type')}
          {...field('assessmentType')}
          // A category belongs to one type of assessment.
          onChange={({ target }) => set({ assessmentType: target.value as Assessment['assessment_type'], categoryId: '' })}
        >
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
          hint={t(typedNumber(draft.weight) === 0 ? 'weightNone' : 'weightHint')}
          inputMode="decimal"
          {...field('weight')}
          {...(faults.weight && { error: t(faults.weight) })}
        />
      </Row>
      <CategoryChoice termId={termId} subjectId={subjectId} type={draft.assessmentType} {...field('categoryId')} />
      <ForWhom
        offered={offered ?? (classId === null ? [] : [classId])}
        sets={[ofSet, assessment?.teaching_set]}
        {...field('studentGroupId')}
        value={draft.teachingSetId || draft.studentGroupId}
        onChoose={set}
      />
      {draft.studentGroupId === '' && draft.teachingSetId === '' && <ClassesReached termId={termId} subjectId={subjectId} />}
      {assessment && (
        <Checkbox label={t('counts')} checked={!draft.isExcluded} onChange={({ target }) => set({ isExcluded: !target.checked })} />
      )}
      {draft.isExcluded && <TextArea label={t('reason')} optional hint={t('reasonHint')} maxLength={500} {...field('exclusionReason')} />}
    </FormDialog>
  )
}

/** Undoes the addition of an assessment. Throws where marks were entered since, which nobody wants to undo with it. */
async function removeUnmarked(id: string): Promise<void> {
  const marks = unsavedNow() > 0 || (await client.grades.list({ query: { assessmentId: id } })).length > 0
  if (marks)
    throw new Failure(
      409,
      'assessments.marked_meanwhile',
      'Marks were entered since, or are not saved yet. The assessment stays; it can be deleted in “Change”.',
    )
  await save('assessments', 'remove', { params: { id } }, ['grades'])
}

type CategoryChoiceProps = {
  termId: string
  subjectId: string
  type: Assessment['assessment_type']
  value: string
  error: string | undefined
  onChange: (event: ChangeEvent<HTMLSelectElement>) => void
}

/** The categories of the year that belong to the type; renders nothing without any. */
function CategoryChoice({ termId, subjectId, type, value, ...field }: CategoryChoiceProps) {
  const { t } = useTranslation('assessments')
  const { data: term } = useQuery(ask('terms', 'get', { params: { id: termId } }))
  const { data: categories } = useQuery({
    ...ask('assessmentCategories', 'list', { query: { academicYearId: term?.academic_year_id ?? '' } }),
    enabled: term !== undefined,
  })
  const fitting = (categories ?? []).filter((category) => fitsCategory(category, { assessment_type: type, subject_id: subjectId }))
  if (fitting.length === 0 && value === '') return null
  const left = weightLeft(fitting)
  const isKnown = fitting.some(({ id }) => id === value)
  const isIdle = !isKnown && left === 0
  return (
    <SelectField label={t('category')} hint={isIdle ? t('withoutCategoryIdle') : undefined} value={isKnown ? value : ''} {...field}>
      <option value="">{t('withoutCategory', { weight: number(left) })}</option>
      <Options
        of={fitting.map(({ id, name, weight, is_extra_credit }) => ({
          id,
          name: t(is_extra_credit ? 'categoryExtra' : 'categoryWeight', { name, weight: number(weight) }),
        }))}
      />
    </SelectField>
  )
}

type ForWhomProps = {
  value: string
  offered: readonly string[]
  /** Null and undefined entries are ignored. */
  sets: readonly (Named | null | undefined)[]
  error: string | undefined
  onChoose: (chosen: { studentGroupId: string; teachingSetId: string }) => void
}

/** For whom the assessment is: every class, an offered class, the set of the page, or the present one. */
function ForWhom({ value, offered, sets, onChoose, ...field }: ForWhomProps) {
  const { t } = useTranslation('assessments')
  const classes = useQuery(ask('classes', 'list'))
  const ofSets = new Map(sets.flatMap((set) => (set ? [[set.id, set]] : [])))
  const choices = [...(classes.data ?? []).filter(({ id }) => offered.includes(id) || id === value), ...ofSets.values()]
  const choose = (id: string) =>
    onChoose(ofSets.has(id) ? { studentGroupId: '', teachingSetId: id } : { studentGroupId: id, teachingSetId: '' })
  return (
    <SelectField label={t('class')} {...field} value={value} onChange={({ target }) => choose(target.value)}>
      <option value="">{t('everyClass')}</option>
      <Options of={choices.map(({ id, name }) => ({ id, name: t('classOnly', { name }) }))} />
      {value !== '' && choices.every(({ id }) => id !== value) && <option value={value}>…</option>}
    </SelectField>
  )
}

/** The names of the classes that an assessment for every class reaches. */
function ClassesReached({ termId, subjectId }: { termId: string; subjectId: string }) {
  const { t } = useTranslation('assessments')
  const { data: classes } = useQuery(ask('subjects', 'classes', { params: { id: subjectId }, query: { termId } }))
  if (!classes || classes.length < 2) return null
  return <Notice>{t('reaches', { classes: enumerated(classes.map(({ name }) => name)) })}</Notice>
}

/** Deletes an assessment and its marks after its title was typed. */
function DeleteAssessment({ assessment }: { assessment: Assessment }) {
  const { t } = useTranslation(['assessments', 'app'])
  const isSame = (typed: string) => typed.trim() === assessment.title.trim()
  const form = useForm({
    initial: { typed: '' },
    isValid: ({ typed }) => isSame(typed),
    save: async () => {
      const again = () => save('assessments', 'remove', { params: { id: assessment.id } }, ['grades'])
      await again()
      tellDeleted(t('deleted', { title: assessment.title }), 'assessment', { id: assessment.id, name: assessment.title, again })
    },
  })
  return (
    <FormDialog
      danger
      title={t('delete', { title: assessment.title })}
      lead={t('deleteText')}
      form={form}
      action={t('app:action.delete')}
      disabled={!isSame(form.draft.typed)}
      busyWord={t('app:state.deleting')}
    >
      <TextField label={t('typeTitle')} {...form.field('typed')} />
    </FormDialog>
  )
}

/** An assessment as form values, by the names of the request: numbers as text, '' for an empty field. */
const draftOf = (assessment: Omit<Assessment, 'teaching_set'> | null, classId: string | null, set: Named | null) => ({
  title: assessment?.title ?? '',
  assessmentType: assessment?.assessment_type ?? ('coursework' as const),
  assessmentDate: assessment?.assessment_date ?? '',
  maxScore: editable(assessment?.max_score ?? 100),
  weight: assessment?.weight == null ? '' : editable(assessment.weight),
  categoryId: assessment?.category_id ?? '',
  studentGroupId: (assessment ? assessment.student_group_id : classId) ?? '',
  teachingSetId: (assessment ? assessment.teaching_set_id : set?.id) ?? '',
  isExcluded: assessment?.is_excluded ?? false,
  exclusionReason: assessment?.exclusion_reason ?? '',
})
type Draft = ReturnType<typeof draftOf>

type NumberFaults = { maxScore?: 'notNumber' | 'maxAboveZero'; weight?: 'notNumber' }

/** Which numbers cannot be sent; the server checks the rest. */
function numberFaults({ maxScore, weight }: Draft): NumberFaults {
  const max = typedNumber(maxScore)
  return {
    ...(max === null ? { maxScore: 'notNumber' } : max <= 0 && { maxScore: 'maxAboveZero' }),
    ...(weight.trim() !== '' && typedNumber(weight) === null && { weight: 'notNumber' }),
  }
}

/** Whether the assessment is excluded, and why. */
const exclusionOf = ({ isExcluded, exclusionReason }: Draft) => ({
  isExcluded,
  exclusionReason: isExcluded && exclusionReason ? exclusionReason : null,
})

/** The request body for form values without faults. */
const toBody = (typed: Draft): Omit<AssessmentInput, 'termId' | 'subjectId'> => ({
  title: typed.title.trim(),
  assessmentType: typed.assessmentType,
  assessmentDate: typed.assessmentDate || null,
  maxScore: typedNumber(typed.maxScore) ?? 0,
  weight: typed.weight.trim() === '' ? null : typedNumber(typed.weight),
  studentGroupId: typed.studentGroupId || null,
  teachingSetId: typed.teachingSetId || null,
  categoryId: typed.categoryId || null,
})
