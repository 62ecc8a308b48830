import type { Issue } from '@markbook/shared/failures'

/** The faults of a row. The app translates a fault by its code. In the message, the name of its column precedes the sentence. */
const sentences = {
  no_year: 'cannot be found: no academic year is active',
  no_class: '“{{name}}” is not the name of a class in {{year}}',
  other_class: 'cannot change here: the student is in class {{name}} in that year',
  required: 'is required for a new student',
  required_name: 'is required where there is no student number',
  again: 'is the student of row {{row}} again',
  same_name: 'is the name of row {{row}}, and no birth date or number tells the two apart; give both one, or leave this row out',
  by_name:
    'is the name of a student here, and the row is taken for that student, since neither has a birth date; leave it out if it is another one',
  too_long: 'must have at most {{max}} characters',
  unreadable: 'has signs that cannot be used',
  gender: 'must be male, female or other (or m, f, o), and not “{{text}}”',
  no_such_day: '“{{text}}” is not a day of the calendar',
  day_far: '“{{text}}” is before 1900 or after 2200',
  day_form: '“{{text}}” cannot be read as a day; write the year first, like 2011-03-25',
  day_unclear: '“{{text}}” does not say which number is the month; write the year first, like 2011-03-25',
  two_alike: 'two students have this name and birth date; give the student number',
  other_number: 'the student of this name and birth date has the number {{number}}',
  renames: 'is the number of {{name}}, who gets this name',
  birth_missing: 'a student has this name, but a birth date is missing here or there; give the student number',
  not_here: 'is not a student here',
  no_name_here: 'is not the name of a student here',
  no_number_here: 'is not the number of a student here',
  several_here: 'is the name of several students here; give the student number',
  other_row: 'does not fit: this row is for {{name}}',
  other_row_number: 'does not fit: this row is for {{name}}, who has the number {{number}}',
  empty: 'Please enter a number.',
  not_a_number: 'This is not a number; write it as 12.5 or 12,5.',
  too_many_decimals: 'At most {{decimals}} decimals are possible.',
  too_large: 'This number is too large.',
  above_maximum: 'is above the maximum of {{max}}',
  code_or_score: 'has a code that stands in the place of a score',
  no_score: 'needs a score beside it: there is none yet',
  twin_column: 'is for the same assessment as the column “{{head}}”',
  other_sheet: 'belongs to another class, teaching set, subject or term',
  not_for_pupil: 'is for another class or teaching set than the student’s',
  not_read: 'is not a column of this import and was not read',
} as const
export type FaultCode = keyof typeof sentences

export const fault = (path: string, code: FaultCode, values: Readonly<Record<string, string | number>> = {}): Issue => ({
  path,
  message: sentences[code].replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? '')),
  code,
  values,
})
