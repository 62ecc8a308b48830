import type { Row } from '@markbook/shared/tables/tables'

type Starter = Pick<Row<'subject'>, 'name' | 'code' | 'sort_order' | 'is_active'>
type Named = readonly [name: string, code: string]

const common: readonly Named[] = [
  ['English', 'EN'],
  ['Mathematics', 'MA'],
]
const rest: Record<Row<'school'>['school_type'], readonly Named[]> = {
  primary: [
    ['Science', 'SC'],
    ['Social Studies', 'SS'],
    ['Religious Education', 'RE'],
    ['Art and Craft', 'AR'],
    ['Music', 'MU'],
    ['Physical Education', 'PE'],
  ],
  secondary: [
    ['Biology', 'BI'],
    ['Chemistry', 'CH'],
    ['Physics', 'PH'],
    ['Geography', 'GE'],
    ['History', 'HI'],
    ['French', 'FR'],
    ['Spanish', 'SP'],
    ['Information Technology', 'IT'],
    ['Business Studies', 'BS'],
    ['Religious Education', 'RE'],
    ['Art', 'AR'],
    ['Music', 'MU'],
    ['Physical Education', 'PE'],
  ],
}

/** The subjects offered to a new school (decisions §4, `starterSubjects`); each can be renamed, reordered or deleted. */
export const starterSubjects = (schoolType: Row<'school'>['school_type']): Starter[] =>
  [...common, ...rest[schoolType]].map(([name, code], at) => ({ name, code, sort_order: at + 1, is_active: true }))
