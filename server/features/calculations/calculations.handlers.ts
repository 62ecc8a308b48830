import { calculations } from '@markbook/shared/contract/calculations'
import type { Endpoint, Reply } from '@markbook/shared/contract/endpoint'
import { common } from '@markbook/shared/failures'
import { type Aim, type Asked, type Handler, type Handlers, on, type Scene } from '../../http/handler.ts'
import type { ReadyText } from '../../http/replies.ts'
import { classAndTerm, classAndYear, studentAndTerm, studentAndYear, studentTermAndSubject } from './calculations.policy.ts'
import { classMissingMarks, classTermSummary } from './class-results.ts'
import { workingOf } from './explanation.ts'
import { questionOf } from './kept-results.ts'
import { reviewedClassTerm, reviewedClassYear, reviewedTerm, reviewedYear } from './reviewed-results.ts'

/** A handler whose `run` gives the question and whose answer is found, or computed, once the transaction has ended. */
const onQuestion = <E extends Endpoint, L>(
  _endpoint: E,
  written: {
    load(scene: Scene<E>, aim: Aim<E>): Promise<L>
    run(scene: Scene<E>, asked: Asked<E>, loaded: L): Promise<() => Promise<Reply<E> | ReadyText>>
  },
): Handler<E, L, unknown, () => Promise<Reply<E>>> =>
  ({ kind: 'transaction', as: 'user', ...written, finish: (question) => question() }) as Handler<E, L, unknown, () => Promise<Reply<E>>>

/** One student out of the class's result; the name beside it is not theirs to carry. */
const studentOf =
  (studentId: string) =>
  <S extends { student_id: string }>({ students }: { students: S[] }): S => {
    const own = students.find((student) => student.student_id === studentId)
    if (!own) throw common.notFound()
    return own
  }

export const calculationHandlers: Handlers<typeof calculations> = {
  studentTerm: onQuestion(calculations.studentTerm, {
    load: (scene, { targets }) => studentAndTerm(scene, targets),
    run: async (scene, _asked, { student, term, group }) => {
      if (group)
        return questionOf(scene, 'class-term', [group.id, term.id], (tx) => reviewedClassTerm(tx, group, term), studentOf(student.id))
      const result = await reviewedTerm(scene.tx, student, term)
      return async () => result
    },
  }),

  studentYear: onQuestion(calculations.studentYear, {
    load: (scene, { targets }) => studentAndYear(scene, targets),
    run: async (scene, _asked, { student, year, group }) => {
      if (group)
        return questionOf(scene, 'class-year', [group.id, year.id], (tx) => reviewedClassYear(tx, group, year), studentOf(student.id))
      const result = await reviewedYear(scene.tx, student, year)
      return async () => result
    },
  }),

  classTerm: onQuestion(calculations.classTerm, {
    load: (scene, { targets }) => classAndTerm(scene, targets),
    run: (scene, _asked, { group, term }) =>
      questionOf(scene, 'class-term', [group.id, term.id], (tx) => reviewedClassTerm(tx, group, term)),
  }),

  classYear: onQuestion(calculations.classYear, {
    load: (scene, { targets }) => classAndYear(scene, targets),
    run: (scene, _asked, { group, year }) =>
      questionOf(scene, 'class-year', [group.id, year.id], (tx) => reviewedClassYear(tx, group, year)),
  }),

  classSummary: onQuestion(calculations.classSummary, {
    load: (scene, { targets }) => classAndTerm(scene, targets),
    run: (scene, _asked, { group, term }) =>
      questionOf(scene, 'class-summary', [group.id, term.id], (tx) => classTermSummary(tx, group, term)),
  }),

  missingMarks: on(calculations.missingMarks, {
    load: (scene, { targets }) => classAndTerm(scene, targets),
    run: ({ tx }, _asked, { group, term }) => classMissingMarks(tx, group, term),
  }),

  explain: on(calculations.explain, {
    load: (scene, { targets }) => studentTermAndSubject(scene, targets),
    run: ({ tx }, _asked, { student, term, subject, group }) => workingOf(tx, { student, term, subject, group }),
  }),
}
