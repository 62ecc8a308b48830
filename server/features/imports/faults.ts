import type { Issue } from '@markbook/shared/failures'

/**
 * The faults of a row of pupils. The app translates a fault by its code. The sentence follows the name of its column.
 */
const sentences = {
  no_year: 'cannot be found: no academic year is active',
  no_class: '“{{name}}” is not the name of a class in {{year}}',
  other_class: 'cannot change here: the student is in class {{name}} in that year',
  required: 'is required for a new student',
  required_name: 'is required where there is no student number',
  again: 'is the student of row {{row}} again',
  too_long: 'must have at most {{max}} characters',
  unreadable: 'has signs that cannot be used',
  gender: 'must be male, female or other (or m, f, o), and not “{{text}}”',
  no_such_day: '“{{text}}” is not a day of the calendar',
  day_far: '“{{text}}” is before 1900 or after 2200',
  day_form: '“{{text}}” cannot be read as a day; write the year first, like 2011-03-25',
  day_unclear: '“{{text}}” does not say which number is the month; write the year first, like 2011-03-25',
  two_alike: 'two students have this name and birth date; give the student number',
  other_number: 'the student of this name and birth date has the number {{number}}',
  birth_missing: 'a student has this name, but a birth date is missing here or there; give the student number',
  not_read: 'is not a column of this import and was not read',
} as const
export type FaultCode = keyof typeof sentences

export const fault = (path: string, code: FaultCode, values: Readonly<Record<string, string | number>> = {}): Issue => ({
  path,
  message: sentences[code].replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? '')),
  code,
  values,
})
