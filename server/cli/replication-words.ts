import type { SyncNode } from '@markbook/shared/contract/replication.rows'
import { isId } from '@markbook/shared/ids'

/** What replication is about in the words of the app (`desktop/ui/words/en`), which are what people at school know; a test compares them. */
export const words = {
  entity: {
    grade: 'Mark',
    assessment: 'Assessment',
    student: 'Pupil',
    student_group: 'Class',
    term: 'Term',
    academic_year: 'Year',
    active_year: 'The year that runs',
    subject: 'Subject',
    school: 'School',
    report_book: 'Report book',
    report_book_entry: 'Report book, subject',
    enrolment: 'Enrolment',
    class_teacher: 'Class teacher',
    teacher_group_assignment: 'Teacher of a class',
    teacher_subject_assignment: 'Teacher’s subject',
    student_subject: 'Pupil’s subject',
    grading_scale: 'Grading scale',
    membership: 'Membership',
    school_management: 'Membership',
    join_request: 'Request to join',
    user_profile: 'Person',
    sync_conflict: 'Entry to decide',
    sync_peer: 'Further entries',
    other: 'Record',
  },
  column: {
    score: 'Mark',
    remarks: 'Remark',
    is_excluded: 'Left out',
    exclusion_reason: 'Reason',
    title: 'Title',
    name: 'Name',
    code: 'Code',
    max_score: 'Maximum',
    weight: 'Weight',
    assessment_type: 'Kind',
    assessment_date: 'Day',
    sort_order: 'Place in the order',
    first_name: 'First name',
    last_name: 'Last name',
    student_number: 'Student number',
    is_active: 'Active',
    exam_weight: 'Exams, in %',
    coursework_weight: 'Coursework, in %',
    start_date: 'First day',
    end_date: 'Last day',
    letter_grade: 'Letter',
    status: 'State',
    role: 'Role',
    class_teacher_remark: 'Class teacher’s remark',
    teacher_remark: 'Remark',
    conduct: 'Conduct',
    attendance_percentage: 'Attendance, in %',
    date_of_birth: 'Born',
    academic_year_id: 'Year',
    user_profile_id: 'Person',
    school_type: 'Kind of school',
    address: 'Address',
    email: 'E-mail',
    phone: 'Telephone',
    crest_type: 'Crest',
    grading_model: 'Grading',
    calculation_model: 'Calculation of the year',
    year_exam_weight: 'Exams in the year, in %',
    year_coursework_weight: 'Coursework in the year, in %',
    is_ministry_reporting: 'Reports to the ministry',
    gender: 'Gender',
    enrollment_date: 'Enrolled',
    pass_mark: 'Pass mark',
    bands: 'Letters and their minimums',
    report_type: 'Kind of report book',
    snapshot: 'Results as published',
    sent_snapshot: 'Results as sent',
    manual_letter: 'Letter, as typed',
  },
  reason: {
    delete: 'Somebody deleted it while somebody else still worked with it, so it stays.',
    rule: 'Both together would break a rule, so the later one does not count yet.',
    right: 'Whoever wrote it no longer had the right when it arrived.',
  },
  refusal: {
    awaits_person: 'It waits until this person agrees: they have an account there, and see it when they sign in there.',
    foreign: 'It belongs to another school, or to somebody who works at another school too.',
    not_yours: 'Somebody else wrote it, and it is no longer there.',
    forbidden: 'Whoever wrote it may not write that there.',
    right_lost: 'Whoever wrote it no longer had the right when it arrived.',
    unknown_parent: 'What it belongs to is not there.',
    unknown_row: 'It is not there to be changed.',
    malformed: 'The other server could not read it.',
    other: 'The other server did not take it.',
  },
  refusalHere: {
    awaits_person: 'It waits until the person whom it is about signs in here and agrees.',
    foreign: 'It belongs to another school, or to somebody who works at another school too.',
    not_yours: 'Somebody else wrote it. A laptop may only send what its own teacher wrote.',
    forbidden: 'Whoever wrote it may not (or no longer) enter that.',
    unknown_parent: 'What it belongs to is not here.',
    unknown_row: 'What was to be deleted is not here.',
    malformed: 'This server could not read it.',
    more: 'There is more than is kept here. The rest stands in the list on that computer; when you are done with these, there is room again.',
    other: 'This server did not take it.',
  },
} satisfies Record<string, Record<string, string>>

type Group = Readonly<Record<string, string>>
const said = (group: Group, code: string, other: string): string => (Object.hasOwn(group, code) ? (group[code] as string) : other)

export const entityName = (entity: string): string => said(words.entity, entity, words.entity.other)
/** `here`: this server refused it, and not the other side. */
export const whyRefused = (code: string, isHere: boolean): string => {
  const group = isHere ? words.refusalHere : words.refusal
  return said(group, code, group.other)
}

/** A row as people call it: «Mark: Adeyemi Zoë · Christmas exam · Mathematics». */
export const rowName = ({ entity, where }: { entity: string; where: string }): string =>
  where ? `${entityName(entity)}: ${where}` : entityName(entity)

export const personName = (person: { first_name: string | null; last_name: string | null } | null): string =>
  person === null
    ? 'the service'
    : [person.first_name, person.last_name].filter(Boolean).join(' ') || 'somebody whose name is not known here'

/** What another node is, and whose. `school`: its name, to be said of a laptop too; null where that is not known, or there is only one. */
export function whoseText({ side, kind, user }: Pick<SyncNode, 'side' | 'kind' | 'user'>, school: string | null): string {
  // Only a laptop has a parent that names somebody: what a school's server has joined is the centre, on whatever database it runs.
  if (side === 'parent') return `${kind === 'centre' || user === null ? 'the centre' : 'the school’s server'} that this one joined`
  if (kind === 'laptop') return `laptop of ${personName(user)}${school ? `, ${school}` : ''}`
  return `server of ${school ?? 'a school'}`
}

type Columns = Readonly<Record<string, unknown>>
/** `outOf`: the maximum of a mark. `named`: by what people know the row of an id. */
type Of = { outOf: number | null; named: (column: string, id: string) => string | null }

/** Values by column as the app shows them: `81 / 100, Remark: Much better`; without ids and without what is empty, unless there is nothing else. */
export function valuesText(columns: Columns, of: Of): string {
  const all = Object.entries(columns)
  const own = all.filter(([, value]) => !(typeof value === 'string' && isId(value)))
  const filled = own.filter(([, value]) => value !== null && value !== false && value !== '')
  const shown = [filled, own, all].find((each) => each.length > 0) ?? []
  return shown
    .map(([column, value]) => {
      const text = valueText(column, value, of)
      return column === 'score' ? text : `${said(words.column, column, 'Value')}: ${text}`
    })
    .join(', ')
}

function valueText(column: string, value: unknown, { outOf, named }: Of): string {
  if (value === null || value === undefined || value === '') return 'nothing'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return column === 'score' && outOf !== null ? `${value} / ${outOf}` : String(value)
  if (typeof value !== 'string') return JSON.stringify(value)
  return isId(value) ? (named(column, value) ?? value) : value
}
