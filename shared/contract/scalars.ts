import { z } from 'zod'
import { hasAtMostDecimals } from '../domain/decimal.ts'
import { visibleText } from '../domain/visible-text.ts'
import type { Issue as FailureIssue } from '../failures.ts'
import { isId } from '../ids.ts'
import { limits } from '../limits.ts'

/** The messages of a field: `is required` where it is missing, `sentence` for every other fault. */
export const say = (sentence: string) => ({
  error: (issue: { input?: unknown }) => (issue.input === undefined ? 'is required' : sentence),
})

/** A received name, shortened for an error message: an unknown name may be as long as the whole body. */
export const shortName = (name: PropertyKey): string => {
  const text = String(name)
  return text.length > limits.issues.nameLength ? `${text.slice(0, limits.issues.nameLength)}…` : text
}

function unknownFields(names: readonly string[]): string {
  const { namesPerIssue: most } = limits.issues
  const others = names.length > most ? ` and ${names.length - most} more` : ''
  return `does not take ${names.slice(0, most).map(shortName).join(', ')}${others}`
}

/** The body of a request: exactly these fields (decisions §1, validation). */
export const input = <S extends z.ZodRawShape>(shape: S) =>
  z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? unknownFields(issue.keys) : 'must be an object with named fields'),
  })

/** A row or reply with its name in the OpenAPI document. Replies have their keys in this order. */
export const row = <S extends z.ZodRawShape>(name: string, shape: S) => z.object(shape).meta({ id: name })

/** Lower-case UUID of any version (decisions §1, ids). */
export const Id = z.string(say('must be an id')).refine(isId, 'must be an id: a UUID in lower case').meta({ format: 'uuid' })

/** A person of the school by name. */
export const Person = z.object({ id: Id, first_name: z.string().nullable(), last_name: z.string().nullable() })

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/
const isDay = (value: string): boolean => {
  const match = DAY.exec(value)
  if (!match) return false
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  if (year < 1900 || year > 2200) return false
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}
const DAY_SENTENCE = 'must be a day of the calendar from 1900 to 2200, written like 2026-01-31'
/** An existing day, `YYYY-MM-DD`, in the years 1900 to 2200. Days compare as text. */
export const Day = z.string(say(DAY_SENTENCE)).refine(isDay, DAY_SENTENCE).meta({ format: 'date' })

const INSTANT_SENTENCE = 'must be a time as the service writes it, like 2026-01-31T08:00:00.000Z'
/** ISO 8601 in UTC with milliseconds and `Z`. */
export const Instant = z
  .string(say(INSTANT_SENTENCE))
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, INSTANT_SENTENCE)
  .meta({ format: 'date-time' })

const HIDDEN = /[\p{Cc}\p{Cs}\u2028\u2029]/u
const VISIBLE = /[^\s\p{Z}\p{Cf}]/u
const longerThan = (value: string, max: number): boolean =>
  // A text never has more code points than UTF-16 units, so only texts near the limit are counted.
  value.length > max && (value.length > max * 2 || [...value].length > max)

type TextKind = { max: number; lines: boolean; blank: boolean }
const textIssue = (value: string, { max, lines, blank }: TextKind): string | undefined => {
  if (!blank && !VISIBLE.test(value)) return 'must not be empty'
  if (longerThan(value, max)) return `must have at most ${max} characters`
  if (!HIDDEN.test(lines ? value.replace(/\r?\n/g, '') : value)) return undefined
  return lines ? 'must not hold control characters other than line breaks' : 'must not hold line breaks or other control characters'
}
const text = (kind: TextKind) =>
  z
    .string(say(`must be text of at most ${kind.max} characters`))
    // Invisible characters are removed rather than refused: pasted text contains them unnoticed, and older programs stored them
    // (docs/design/school.md).
    .overwrite(visibleText)
    .check((context) => {
      const message = textIssue(context.value, kind)
      if (message) context.issues.push({ code: 'custom', message, input: context.value })
    })
    .meta({ ...(kind.blank ? {} : { minLength: 1 }), maxLength: kind.max })

/** One line with at least one visible character and at most `max` characters; stored byte for byte except for invisible characters. */
export const label = (max: number) => text({ max, lines: false, blank: false })
/** One line that may be empty. */
export const note = (max: number) => text({ max, lines: false, blank: true })

export const Name = label(limits.text.name)
export const Title = label(limits.text.title)
export const Code = label(limits.text.code)
export const Remark = text({ max: limits.text.remark, lines: true, blank: true })
export const Conduct = note(limits.text.conduct)
export const Reason = note(limits.text.reason)
/** Why a report is sent back. Required, since the class teacher works from it. */
export const SentBackReason = text({ max: limits.text.reason, lines: true, blank: false })
export const AttendanceNote = note(limits.text.attendanceNote)
export const JoinMessage = note(limits.text.joinMessage)
export const Address = note(limits.text.address)
export const Phone = note(limits.text.phone)

const EMAIL_SENTENCE = `must be an email address of at most ${limits.text.email} characters`
const isEmail = (value: string): boolean => {
  const trimmed = value.trim()
  return /^[^\s@]+@[^\s@]+$/.test(trimmed) && !HIDDEN.test(trimmed) && !longerThan(trimmed, limits.text.email)
}
/** An address as typed. Surrounding spaces are allowed; the server normalises it (decisions §3). */
export const Email = z.string(say(EMAIL_SENTENCE)).refine(isEmail, EMAIL_SENTENCE)

/** A number within bounds. With no decimals it is a whole number. */
export const decimal = ({ min, max, decimals }: { min: number; max: number; decimals: number }) => {
  const sentence =
    decimals === 0
      ? `must be a whole number from ${min} to ${max}`
      : `must be a number from ${min} to ${max} with at most ${decimals} decimals`
  return (
    z
      .number(say(sentence))
      .refine((value) => value >= min && value <= max && hasAtMostDecimals(value, decimals), sentence)
      // JSON can hold -0; SQLite and Postgres would return it differently.
      .overwrite((value) => (value === 0 ? 0 : value))
      .meta({ minimum: min, maximum: max, ...(decimals === 0 ? { type: 'integer' } : {}) })
  )
}

export const Score = decimal({ min: 0, ...limits.score })
/** A score in a query. */
export const QueryScore = z
  .string(say('must be a number'))
  .regex(/^\d{1,6}(\.\d+)?$/, 'must be a number')
  .transform(Number)
  .pipe(Score)
const CODE_SENTENCE = 'must be a code: a letter, and at most 7 more letters or digits'
/** A code that replaces a score or stands beside it; in lower case. */
export const MarkCodeName = z
  .string(say(CODE_SENTENCE))
  .overwrite((value) => value.trim().toLowerCase())
  .regex(/^\p{L}[\p{L}\p{M}\p{N}]{0,7}$/u, CODE_SENTENCE)
export const MaxScore = decimal({ min: 0.01, ...limits.score })
export const AssessmentWeight = decimal({ min: 0, ...limits.assessmentWeight })
export const Percentage = decimal({ min: 0, ...limits.percentage })
export const SortOrder = decimal({ min: 0, max: 100_000, decimals: 0 })
/** A lesson of a day; 0 for the whole day. */
export const Lesson = decimal({ min: 0, max: limits.attendance.lessonsPerDay, decimals: 0 })

export const Flag = z.boolean(say('must be true or false'))
/** `?x=true` or `?x=false`; anything else is refused. */
export const QueryFlag = z.enum(['true', 'false'], say('must be true or false')).transform((value) => value === 'true')

export const choice = <const V extends readonly [string, ...string[]]>(values: V) =>
  z.enum(values, say(`must be ${values.length > 1 ? 'one of ' : ''}${values.join(', ')}`))

/** A list of different ids. */
export const ids = ({ min = 0, max }: { min?: number; max: number }) =>
  z
    .array(Id, say('must be a list of ids'))
    .min(min, 'must name at least one')
    .max(max, `must name at most ${max}`)
    .refine((list) => new Set(list).size === list.length, 'must not name the same one twice')

/** Adds issues that concern several fields of a body. */
export const reportIssues = (context: { issues: z.core.$ZodRawIssue[]; value: unknown }, issues: readonly FailureIssue[]): void => {
  for (const { path, message } of issues) context.issues.push({ code: 'custom', path: [path], message, input: context.value })
}

/** Checks that a year or a term ends after it starts. On a change, both days are those of the merged row. */
export const spanIssues = (span: { startDate: string; endDate: string }): FailureIssue[] =>
  span.endDate > span.startDate ? [] : [{ path: 'endDate', message: 'must be after the first day' }]

/** SHA-256 of a certificate, for people to compare: 32 bytes as capital hex digits, with colons. */
export const Fingerprint = z.string().regex(/^[0-9A-F]{2}(:[0-9A-F]{2}){31}$/)

/** A fault at one place of the input: in failures, imports and previews alike. */
export const Issue = row('Issue', {
  path: z.string(),
  message: z.string(),
  code: z.string().optional(),
  values: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
})
/** The reply to a deletion or an action without a row (decisions §1). */
export const Done = row('Done', { message: z.string() })
/** A student by name. */
export const StudentName = row('StudentName', { id: Id, first_name: z.string(), last_name: z.string() })
export type StudentName = z.infer<typeof StudentName>
