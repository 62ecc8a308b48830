import { z } from 'zod'
import { limits } from '../limits.ts'
import { endpoint } from './endpoint.ts'
import { Code, input, Percentage, row, say, Title } from './scalars.ts'

/** Bands from the best to the last; a result belongs to the first band whose minimum it reaches. */
export const GradingScale = row('GradingScale', {
  pass_mark: z.number(),
  bands: z.array(z.object({ letter: z.string(), minimum: z.number(), remark: z.string() })),
})
export type GradingScale = z.infer<typeof GradingScale>

type Bands = readonly { letter: string; minimum: number }[]
const fall = (bands: Bands): boolean => bands.every(({ minimum }, index) => index === 0 || minimum < (bands[index - 1]?.minimum ?? minimum))

export const GradingScaleInput = input({
  passMark: Percentage,
  bands: z
    .array(input({ letter: Code, minimum: Percentage, remark: Title }), say('must be a list of bands'))
    .min(1, 'must hold at least one band')
    .max(limits.gradingBands, `must hold at most ${limits.gradingBands} bands`)
    .refine(fall, 'must go from the highest minimum to the lowest, without repeating one')
    .refine((bands) => bands.at(-1)?.minimum === 0, 'must end with a band from 0, so that every result has a letter')
    .refine((bands) => new Set(bands.map(({ letter }) => letter)).size === bands.length, 'must not use a letter twice'),
})
export type GradingScaleInput = z.infer<typeof GradingScaleInput>

export const gradingScale = {
  get: endpoint('GET /api/grading-scale', 'school', 'Read the grading scale', { reply: GradingScale }),
  put: endpoint('PUT /api/grading-scale', 'admin', 'Replace the grading scale', { body: GradingScaleInput, reply: GradingScale }),
}
