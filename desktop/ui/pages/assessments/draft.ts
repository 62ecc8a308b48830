import type { Assessment, AssessmentInput } from '@markbook/shared/contract/assessments'
import { editable, typedNumber } from '../../words/format.ts'

/** An assessment as it is typed: numbers as text until they are sent, '' for what is left empty. */
export type Draft = {
  title: string
  type: 'exam' | 'coursework'
  date: string
  max: string
  weight: string
  classId: string
  isExcluded: boolean
  reason: string
}

export const draftOf = (assessment: Assessment | null): Draft => ({
  title: assessment?.title ?? '',
  type: assessment?.assessment_type ?? 'coursework',
  date: assessment?.assessment_date ?? '',
  max: editable(assessment?.max_score ?? 100),
  weight: assessment?.weight == null ? '' : editable(assessment.weight),
  classId: assessment?.student_group_id ?? '',
  isExcluded: assessment?.is_excluded ?? false,
  reason: assessment?.exclusion_reason ?? '',
})

type Faults = { title?: true; max?: 'notNumber' | 'maxAboveZero'; weight?: 'notNumber' }

/** What cannot be sent as it is; the server checks the rest. */
export function faultsOf({ title, max, weight }: Draft): Faults {
  const highest = typedNumber(max)
  return {
    ...(title.trim() === '' && { title: true }),
    ...(highest === null ? { max: 'notNumber' } : highest <= 0 && { max: 'maxAboveZero' }),
    ...(weight.trim() !== '' && typedNumber(weight) === null && { weight: 'notNumber' }),
  }
}

/** What a draft without faults says to the service. */
export const toBody = ({ title, type, date, max, weight, classId }: Draft): Omit<AssessmentInput, 'termId' | 'subjectId'> => ({
  title: title.trim(),
  assessmentType: type,
  assessmentDate: date || null,
  maxScore: typedNumber(max) ?? 0,
  weight: weight.trim() === '' ? null : typedNumber(weight),
  studentGroupId: classId || null,
})
