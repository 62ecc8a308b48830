import { parse, v5, v7 } from 'uuid'

/** The namespace of Markbook's natural keys. Must never change: nodes that have not met must compute the same ids. */
const NAMESPACE = parse('6f0d5b7e-52a4-4c0e-9d5a-2b7c1e8f4a10')

/**
 * Kinds of rows whose id is computed from their natural key (decisions §1, «Ids by nature»); `node`: the number of a node that joins by a
 * code.
 */
export const naturalKinds = [
  'user',
  'membership',
  'term',
  'grade',
  'enrolment',
  'teacher_group_assignment',
  'teacher_subject_assignment',
  'student_subject',
  'teaching_set_teacher',
  'teaching_set_member',
  'attendance_register',
  'attendance_mark',
  'report_book',
  'report_book_entry',
  'grading_scale',
  'totp',
  'recovery_code',
  'conflict',
  'refusal',
  'node',
] as const
export type NaturalKind = (typeof naturalKinds)[number]

const text = new TextEncoder()

/** UUIDv5 of a natural key. The parts are joined with U+001F, which occurs in no name or id. */
export const naturalId = (kind: NaturalKind, ...parts: string[]): string => v5(text.encode([kind, ...parts].join('\u001f')), NAMESPACE)

/** Scope of rows that belong to no school (users): their `school_id` is the nil UUID. */
export const COMMONS = '00000000-0000-0000-0000-000000000000'

/** Returns a new UUIDv7. Clock and randomness (16 bytes a call) are parameters, so that tests and the simulation are repeatable. */
export type IdSource = () => string
export const idSource = (now: () => number, randomBytes: (size: number) => Uint8Array): IdSource => {
  let last = 0
  let count = 0
  return () => {
    const msecs = now()
    count = msecs === last ? count + 1 : 0
    last = msecs
    return v7({ msecs, seq: count, random: randomBytes(16) })
  }
}

const PORTION_BYTES = 4_096

/** Random bytes, read from the system in larger portions, because a system call for each id is expensive. No byte is used twice. */
export const inPortions = (randomBytes: (size: number) => Uint8Array): ((size: number) => Uint8Array) => {
  let [bytes, at] = [new Uint8Array(0), 0]
  return (size) => {
    if (at + size > bytes.length) [bytes, at] = [Uint8Array.from(randomBytes(Math.max(PORTION_BYTES, size))), 0]
    at += size
    return bytes.subarray(at - size, at)
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether the text is a lower-case UUID of any version (decisions §1). */
export const isId = (text: string): boolean => UUID.test(text)
