import type { Issue } from '@markbook/shared/failures'

/** The issues of a roll-over. The app translates an issue by its code, which is separate from that of the failure. */
export const rollOverSentences = {
  class_taken: 'This year already has a class called {{name}}.',
  not_of_earlier_year: 'must be a class of an earlier year',
  not_of_this_year: 'must be a class of this year',
  no_teacher: 'is not a teacher of this school',
  not_in_class: 'is not a pupil of that class',
  not_of_school: 'is not a pupil of this school',
  named_twice: '{{name}} is named twice.',
  second_class: '{{name}} would be in {{class}} as well.',
  has_left: '{{name}} has left the school.',
  leaves_and_stays: '{{name}} would leave and be in {{class}}.',
  no_earlier_year: 'must be an earlier year',
  too_many_categories: 'There would be more than {{max}} categories of a subject.',
  too_many_sets: 'There would be more than {{max}} teaching sets.',
  too_many_in_set: 'There would be more than {{max}} pupils in {{name}}.',
  term_taken: 'This year already has a term called {{term}}.',
  term_outside: 'must lie within the academic year',
  too_many_terms: 'A year has at most {{max}} terms.',
} as const
type RollOverIssueCode = keyof typeof rollOverSentences

/** `said`: values for the English sentence, where they differ from those that the app gets. */
export const rollOverIssue = (
  path: string,
  code: RollOverIssueCode,
  values: Readonly<Record<string, string | number>> = {},
  said = values,
): Issue => ({
  path,
  message: rollOverSentences[code].replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(said[name] ?? '')),
  code,
  values,
})
