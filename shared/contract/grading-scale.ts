import { z } from 'zod'
import { limits } from '../limits.ts'
import { endpoint } from './endpoint.ts'
import { Code, Id, input, Percentage, row, say, Title } from './scalars.ts'

const scale = {
  pass_mark: z.number(),
  bands: z.array(z.object({ letter: z.string(), minimum: z.number(), remark: z.string() })),
}
/** Bands from the best to the lowest; a result belongs to the first band whose minimum it reaches. */
export const GradingScale = row('GradingScale', scale)
export type GradingScale = z.infer<typeof GradingScale>

/** `kept_years`: names of the past years that keep the previous scale; only in the reply to a change of the school's scale. */
const SavedGradingScale = row('SavedGradingScale', { ...scale, kept_years: z.array(z.string()).optional() })

type Bands = readonly { letter: string; minimum: number }[]
const fall = (bands: Bands): boolean => bands.every(({ minimum }, index) => index === 0 || minimum < (bands[index - 1]?.minimum ?? minimum))

export const GradingBands = z
  .array(input({ letter: Code, minimum: Percentage, remark: Title }), say('must be a list of bands'))
  .min(1, 'must hold at least one band')
  .max(limits.gradingBands, `must hold at most ${limits.gradingBands} bands`)
  .refine(fall, 'must go from the highest minimum to the lowest, without repeating one')
  .refine((bands) => bands.at(-1)?.minimum === 0, 'must end with a band from 0, so that every result has a letter')
  .refine((bands) => new Set(bands.map(({ letter }) => letter)).size === bands.length, 'must not use a letter twice')

export const GradingScaleInput = input({ passMark: Percentage, bands: GradingBands })
export type GradingScaleInput = z.infer<typeof GradingScaleInput>

/** Without `academicYearId`: the school's scale, which applies to every year without its own. */
const ofYear = z.object({ academicYearId: Id.optional() })

export const gradingScale = {
  get: endpoint('GET /api/grading-scale', 'school', 'Read the grading scale of the school or of a year', {
    query: ofYear,
    reply: GradingScale,
  }),
  put: endpoint('PUT /api/grading-scale', 'admin', 'Replace the grading scale of the school or of a year', {
    query: ofYear,
    body: GradingScaleInput,
    reply: SavedGradingScale,
  }),
}
