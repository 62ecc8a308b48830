import { z } from 'zod'
import { failures } from '../failures.ts'
import { limits } from '../limits.ts'
import { endpoint } from './endpoint.ts'
import { ReportType } from './reports.ts'
import { Flag, Id, ids, input, Person, row, say } from './scalars.ts'
import { SubjectRef } from './subjects.ts'

/**
 * Marks of a subject as in `ClassProgress`. `remarks`: how many of the `entries` of the class's unsent report books have the teacher's
 * remark.
 */
const SubjectOverview = z.object({
  subject: SubjectRef,
  teachers: z.array(Person),
  assessments: z.int(),
  expected: z.int(),
  recorded: z.int(),
  entries: z.int(),
  remarks: z.int(),
})

/**
 * The progress of a class with the marks and report books of a term. `students`: enrolled now; `books` counts only theirs: `made`; without
 * the class teacher's remark; waiting for approval (0 where the school requires none); sent back to the class teacher and unchanged since;
 * approved; published; sent. A sent book counts in `made` and `sent` only.
 */
export const ClassOverview = row('ClassOverview', {
  class: z.object({ id: Id, name: z.string() }),
  class_teacher: Person.nullable(),
  students: z.int(),
  subjects: z.array(SubjectOverview),
  books: z.object({
    made: z.int(),
    without_remark: z.int(),
    to_approve: z.int(),
    sent_back: z.int(),
    approved: z.int(),
    published: z.int(),
    sent: z.int(),
  }),
})
export type ClassOverview = z.infer<typeof ClassOverview>

/** What a person still has to do for a term, as in the mail. `is_reminded`: a mail was sent to them within the last day. */
const Reminder = row('Reminder', { person: Person, email: z.string(), is_reminded: Flag, subject: z.string(), text: z.string() })
export type Reminder = z.infer<typeof Reminder>

export const overviewFailures = failures('overview', {
  noMail: [409, 'This server sends no mail. The text can be copied and sent in another way.'],
})

const LANGUAGE = 'must be the two letters of a language'
const language = z
  .string(say(LANGUAGE))
  .regex(/^[a-z]{2}$/, LANGUAGE)
  .optional()

const ofTerm = z.object({ termId: Id, reportType: ReportType })

export const overview = {
  read: endpoint('GET /api/overview', 'admin', 'Say how far each class of a term is with its marks and report books, by name', {
    query: ofTerm,
    reply: z.array(ClassOverview),
  }),
  reminders: endpoint('GET /api/overview/reminders', 'admin', 'List who is behind in a term, with the mail that would remind them', {
    notes:
      'Behind is who teaches a subject without an assessment or with marks that are missing, and who leads a class whose report books are not made, are older than their marks, lack the class teacher’s remark, or were sent back and not changed since; without the caller. `can_mail` is false where this server sends no mail, and on a laptop. `language`: of the mail, as `fr`; English where none is named, or one that the mails do not have.',
    query: ofTerm.extend({ language }),
    reply: row('Reminders', { can_mail: Flag, people: z.array(Reminder) }),
  }),
  remind: endpoint('POST /api/overview/reminders', 'admin', 'Remind people who are behind in a term by mail, once a day at most', {
    notes: 'All who are behind where `userIds` is absent; of those who are named, whoever is not behind gets nothing.',
    body: input({
      termId: Id,
      reportType: ReportType,
      userIds: ids({ min: 1, max: limits.reminders.peoplePerRequest }).optional(),
      language,
    }),
    reply: row('Reminded', { sent: z.int(), already_reminded: z.int() }),
    fails: ['overview.no_mail', 'sync.not_on_a_laptop'],
  }),
}
