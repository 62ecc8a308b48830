import { limits } from '@markbook/shared/limits'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '../testing/ask.ts'
import { type Furnished, furnished, type Named, withJson } from './matrix/furnished.ts'
import { withoutCode } from './matrix/row.ts'
import { type Field, fieldsOf, withField } from './sweep/fields.ts'
import { refusalOf } from './sweep/refusal.ts'

let at: Furnished
let before: string
beforeAll(async () => {
  at = await furnished()
  before = await at.st.digest()
})
afterAll(async () => {
  expect(await at.st.digest()).toBe(before)
  await at.st.close()
})

const told = async (named: Named, body: unknown, app = at.st.app) =>
  ask(app, named.endpoint, { ...at.ownAsk(named), body }, at.ownCookie(named))
const bodyOf = (named: Named) => at.ownAsk(named).body
const fields = (named: Named) => fieldsOf(named.endpoint)
const label = ({ path }: Field, value: unknown) => `${path.join('.')} = ${JSON.stringify(value)?.slice(0, 40)}`

/** Lengths of decisions §1 by the fields' names. */
const LENGTHS: Record<string, number> = {
  name: 200,
  title: 200,
  firstName: 200,
  lastName: 200,
  remarks: 2_000,
  classTeacherRemark: 2_000,
  teacherRemark: 2_000,
  conduct: 500,
  exclusionReason: 500,
  reason: 500,
  message: 500,
  code: 20,
  letter: 20,
  letterGrade: 20,
  studentNumber: 40,
}

/** Names that are shorter than those of decisions §1. */
const NAMES: Record<string, number> = {
  terms: limits.text.termName,
  assessmentCategories: limits.text.categoryName,
  teachingSets: limits.text.teachingSetName,
}

describe('the length of a text is counted in characters, not in bytes or halves of them', () => {
  test.each(withJson)('$name: one more than fits is refused, and as many as fit are not', async (named) => {
    const wrong: string[] = []
    for (const field of fields(named).filter(({ isText, maxLength }) => isText && maxLength !== undefined)) {
      const [name, max] = [field.path.at(-1) ?? '', field.maxLength ?? 0]
      const resource = field.path.includes('terms') ? 'terms' : (named.name.split('.')[0] ?? '')
      const known = (name === 'name' && NAMES[resource]) || LENGTHS[name]
      if (known !== undefined && known !== max) wrong.push(`${name} takes ${max}`)
      const long = await told(named, withField(bodyOf(named), field.path, '😀'.repeat(max + 1)))
      if (refusalOf(long) !== '400 validation_failed') wrong.push(`${label(field, max + 1)}: ${refusalOf(long)}`)
      const fits = await told(named, withField(bodyOf(named), field.path, '😀'.repeat(max)), at.dry)
      const isTaken =
        fits.status === (named.endpoint.status ?? 200) ||
        (withoutCode.includes(named.name) && /^(409|400 passkeys.refused)/.test(refusalOf(fits))) ||
        // What a page saw is compared, and nobody has written this.
        (name === 'expectedNote' && refusalOf(fits).startsWith('409 attendance.changed_meanwhile')) ||
        // Nobody has asked for approvals.
        (named.name === 'reports.approve' && refusalOf(fits).startsWith('409 reports.approval_not_asked'))
      if (!isTaken) wrong.push(`${label(field, max)}: ${fits.status} ${fits.text}`)
    }
    expect(wrong).toEqual([])
  })

  test.each(withJson.filter(({ endpoint }) => fieldsOf(endpoint).some(({ path }) => path.at(-1) === 'email')))(
    '$name: an address of 255 characters',
    async (named) => {
      const body = withField(bodyOf(named), ['email'], `${'a'.repeat(247)}@mail.ex`)
      expect(refusalOf(await told(named, body))).toBe('400 validation_failed')
    },
  )
})
