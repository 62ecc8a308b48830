import { calculations } from '@markbook/shared/contract/calculations'
import type { Endpoint, Reply } from '@markbook/shared/contract/endpoint'
import { common } from '@markbook/shared/failures'
import { type AccessIds, type Handler, type HandlerContext, type Handlers, on, type RequestInput } from '../../http/handler.ts'
import type { ReadyText } from '../../http/replies.ts'
import {
  classAndTerm,
  classAndYear,
  classMissingMarks,
  classTermSummary,
  studentAndTerm,
  studentAndYear,
  studentTermAndSubject,
} from './calculations.policy.ts'
import { explanationOf } from './explanation.ts'
import { questionOf } from './kept-results.policy.ts'
import { reviewedClassTerm, reviewedClassYear, reviewedTerm, reviewedYear } from './reviewed-results.ts'
import { setTerm } from './set-term.ts'
import { studentOverview } from './student-overview.ts'

/** A handler whose `run` returns a question, which is answered after the transaction, from the cache or by calculating. */
const onQuestion = <E extends Endpoint, L>(
  _endpoint: E,
  written: {
    load(context: HandlerContext<E>, ids: AccessIds<E>): Promise<L>
    run(context: HandlerContext<E>, input: RequestInput<E>, loaded: L): Promise<() => Promise<Reply<E> | ReadyText>>
  },
): Handler<E, L, unknown, () => Promise<Reply<E>>> =>
  ({ kind: 'transaction', as: 'user', ...written, finish: (question) => question() }) as Handler<E, L, unknown, () => Promise<Reply<E>>>

/** The result of one student from the class's result, without the name, which the reply does not contain. */
const studentOf =
  (studentId: string) =>
  <S extends { student_id: string }>({ students }: { students: S[] }): S => {
    const own = students.find((student) => student.student_id === studentId)
    if (!own) throw common.notFound()
    return own
  }

export const calculationHandlers: Handlers<typeof calculations> = {
  student: studentOverview,

  studentTerm: onQuestion(calculations.studentTerm, {
    load: (context, { targets }) => studentAndTerm(context, targets),
    run: async (context, _input, { student, term, group }) => {
      if (group)
        return questionOf(context, 'class-term', [group.id, term.id], (tx) => reviewedClassTerm(tx, group, term), studentOf(student.id))
      const result = await reviewedTerm(context.tx, student, term)
      return async () => result
    },
  }),

  studentYear: onQuestion(calculations.studentYear, {
    load: (context, { targets }) => studentAndYear(context, targets),
    run: async (context, _input, { student, year, group }) => {
      if (group)
        return questionOf(context, 'class-year', [group.id, year.id], (tx) => reviewedClassYear(tx, group, year), studentOf(student.id))
      const result = await reviewedYear(context.tx, student, year)
      return async () => result
    },
  }),

  classTerm: onQuestion(calculations.classTerm, {
    load: (context, { targets }) => classAndTerm(context, targets),
    run: (context, _input, { group, term }) =>
      questionOf(context, 'class-term', [group.id, term.id], (tx) => reviewedClassTerm(tx, group, term)),
  }),

  setTerm,

  classYear: onQuestion(calculations.classYear, {
    load: (context, { targets }) => classAndYear(context, targets),
    run: (context, _input, { group, year }) =>
      questionOf(context, 'class-year', [group.id, year.id], (tx) => reviewedClassYear(tx, group, year)),
  }),

  classSummary: onQuestion(calculations.classSummary, {
    load: (context, { targets }) => classAndTerm(context, targets),
    run: (context, _input, { group, term }) =>
      questionOf(context, 'class-summary', [group.id, term.id], (tx) => classTermSummary(tx, group, term)),
  }),

  missingMarks: on(calculations.missingMarks, {
    load: (context, { targets }) => classAndTerm(context, targets),
    run: ({ tx }, _input, { group, term }) => classMissingMarks(tx, group, term),
  }),

  explain: on(calculations.explain, {
    load: (context, { targets }) => studentTermAndSubject(context, targets),
    run: ({ tx }, _input, explained) => explanationOf(tx, explained),
  }),
}
