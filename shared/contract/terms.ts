import { z } from 'zod'
import { isSameTermName, termName } from '../domain/term-names.ts'
import { weightsSumTo100 } from '../domain/weights.ts'
import { failures, type Issue } from '../failures.ts'
import { limits } from '../limits.ts'
import { endpoint } from './endpoint.ts'
import { Day, Done, Flag, Id, Instant, ids, input, label, Percentage, reportIssues, row, SortOrder, say, spanIssues } from './scalars.ts'

/** `michaelmas`, `hilary`, `trinity`, or a name of the school's own. A name that begins with `~` is a temporary value of replication. */
export const TermName = label(limits.text.termName)
  .overwrite(termName)
  // Unicode composition may lengthen a text: U+FB2C becomes three characters.
  .refine((name) => [...name].length <= limits.text.termName, `must have at most ${limits.text.termName} characters`)
  .refine((name) => !name.startsWith('~'), 'must not begin with ~')

export const Term = row('Term', {
  id: Id,
  academic_year_id: Id,
  name: z.string(),
  start_date: Day,
  end_date: Day,
  exam_weight: z.number(),
  coursework_weight: z.number(),
  is_ministry_reporting: Flag,
  sort_order: z.int(),
  created_at: Instant,
  updated_at: Instant,
})
export type Term = z.infer<typeof Term>

const ofTerm = {
  name: TermName,
  startDate: Day,
  endDate: Day,
  examWeight: Percentage,
  courseworkWeight: Percentage,
  isMinistryReporting: Flag.optional(),
  sortOrder: SortOrder.optional(),
}
const TermInput = input({ academicYearId: Id, ...ofTerm })
type TermInput = z.infer<typeof TermInput>

/** The contradictions within a whole term. On a change the server runs the same check on the merged row. */
export const termIssues = (term: Pick<TermInput, 'startDate' | 'endDate' | 'examWeight' | 'courseworkWeight'>): Issue[] => [
  ...spanIssues(term),
  ...(weightsSumTo100(term.examWeight, term.courseworkWeight)
    ? []
    : [{ path: 'examWeight', message: 'must give 100 together with the coursework weight' }]),
]

const NewTerm = input(ofTerm)
export type NewTerm = z.infer<typeof NewTerm>

/** Terms of one year that are created in one request; each name once. */
export const NewTerms = z
  .array(
    NewTerm.check((context) => reportIssues(context, termIssues(context.value))),
    say('must be a list of terms'),
  )
  .max(limits.termsPerYear, `must name at most ${limits.termsPerYear} terms`)
  .check((context) => {
    for (const [at, { name }] of context.value.entries())
      if (context.value.slice(0, at).some((other) => isSameTermName(other.name, name)))
        context.issues.push({ code: 'custom', path: [at, 'name'], message: 'must not be named twice', input: context.value })
  })

/** The terms that begin or end outside their year. */
export const termsOutside = (terms: readonly NewTerm[], year: { startDate: string; endDate: string }): Issue[] =>
  terms.flatMap(({ startDate, endDate }, at) => {
    const message = 'must lie within the academic year'
    return [
      ...(startDate < year.startDate || startDate > year.endDate ? [{ path: `terms.${at}.startDate`, message }] : []),
      ...(endDate < year.startDate || endDate > year.endDate ? [{ path: `terms.${at}.endDate`, message }] : []),
    ]
  })

export const termFailures = failures('terms', {
  duplicateName: [409, 'This year already has a term with that name.'],
  tooMany: [409, `A year has at most ${limits.termsPerYear} terms.`],
  outsideYear: [400, 'The days of the term must lie within its academic year.'],
  staysInYear: [409, 'This term has assessments, grades or report books and stays in its year.'],
  inUse: [409, 'This term has assessments, grades or report books and cannot be deleted.'],
})

export const terms = {
  list: endpoint('GET /api/terms', 'school', 'List the terms of a year in order', {
    query: z.object({ yearId: Id }),
    reply: z.array(Term),
  }),
  get: endpoint('GET /api/terms/:id', 'school', 'Read a term', { reply: Term }),
  create: endpoint('POST /api/terms', 'admin', 'Create a term', {
    status: 201,
    body: TermInput.check((context) => reportIssues(context, termIssues(context.value))),
    reply: Term,
    fails: ['terms.duplicate_name', 'terms.too_many', 'terms.outside_year'],
  }),
  update: endpoint('PATCH /api/terms/:id', 'admin', 'Change a term', {
    body: TermInput.partial(),
    reply: Term,
    fails: ['terms.duplicate_name', 'terms.too_many', 'terms.outside_year', 'terms.stays_in_year'],
  }),
  removeBulk: endpoint('POST /api/terms/bulk-delete', 'admin', 'Delete several terms, all or none', {
    body: input({ termIds: ids({ min: 1, max: limits.termsPerYear }) }),
    reply: Done,
    fails: ['terms.in_use'],
  }),
  remove: endpoint('DELETE /api/terms/:id', 'admin', 'Delete a term', { reply: Done, fails: ['terms.in_use'] }),
}
