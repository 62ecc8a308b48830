import { attendance, attendanceFailures } from '@markbook/shared/contract/attendance'
import { common } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { type Handlers, on } from '../../http/handler.ts'
import { classOf, termOf } from '../policy.ts'
import { takeRegister, totalsOfClass } from './attendance.policy.ts'
import { marksOfDays, registersOfDays } from './attendance.queries.ts'

const DAY = 86_400_000
const daysFrom = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / DAY + 1

export const attendanceHandlers: Handlers<typeof attendance> = {
  read: on(attendance.read, {
    load: async (context, { params }) => (await classOf(context, 'readClass', params.classId)).group,
    run: async ({ tx }, { query }, { school_id: school, id: group }) => {
      if (daysFrom(query.from, query.to) > limits.attendance.daysPerRequest) throw attendanceFailures.tooManyDays()
      const of = { school, group, ...query }
      return { registers: await registersOfDays(tx, of), marks: await marksOfDays(tx, of) }
    },
  }),

  take: on(attendance.take, {
    load: async (context, { params }) => (await classOf(context, 'takeAttendance', params.classId)).group,
    run: ({ tx }, { body }, group) => takeRegister(tx, group, body),
  }),

  totals: on(attendance.totals, {
    load: async (context, { params, targets }) => {
      const { group } = await classOf(context, 'readClass', params.classId)
      const term = await termOf(context, targets['termId'])
      if (term.academic_year_id !== group.academic_year_id) throw common.notFound()
      return { group, term }
    },
    run: async ({ tx }, _input, { group, term }) =>
      [...(await totalsOfClass(tx, group, term))].map(([student_id, totals]) => ({ student_id, ...totals })),
  }),
}
