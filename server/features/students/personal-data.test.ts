import { elan, fatima, mei, oisin, pupilsOf3A, pupilsOf3B, wanderer, zoe } from '@markbook/shared/story/marks'
import { class3A, class3B } from '@markbook/shared/story/school-year'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())
const wish = (personalDataFor: 'class_teachers' | 'all_staff' | null) => st.as.okafor.schools.updateMine({ body: { personalDataFor } })
beforeEach(() => wish(null))

const born = [...pupilsOf3A, ...pupilsOf3B].flatMap((pupil) => pupil.date_of_birth ?? [])
/** The birth dates in a reply. */
const toldIn = (reply: unknown): string[] => born.filter((day) => JSON.stringify(reply).includes(day)).sort()
const daysOf = (pupils: readonly { date_of_birth: string | null }[]) => pupils.flatMap((pupil) => pupil.date_of_birth ?? []).sort()
const shape = async (who: 'ada' | 'byrne' | 'okafor', more = '') => {
  const request = new Request(`http://markbook.test/v1/shape?table=student&offset=-1${more}`, { headers: { cookie: st.cookieOf(who) } })
  const response = await st.app.fetch(request)
  return { status: response.status, text: await response.text(), handle: response.headers.get('electric-handle') }
}

describe('birth dates and genders', () => {
  test('are for administrators and for the class teacher of the pupil', async () => {
    expect(toldIn(await st.as.okafor.students.list())).toEqual(daysOf([...pupilsOf3A, ...pupilsOf3B]))
    expect(toldIn(await st.as.byrne.students.list())).toEqual(daysOf(pupilsOf3B))
    expect(toldIn(await st.as.quinn.students.list())).toEqual(daysOf(pupilsOf3A))
    expect(toldIn(await st.as.ada.students.list())).toEqual([])
    const genders = (await st.as.byrne.students.list()).map(({ id, gender }) => [id, gender])
    expect(Object.fromEntries(genders)).toMatchObject({ [zoe.id]: 'female', [mei.id]: 'other', [oisin.id]: null, [wanderer.id]: null })
  })

  test('are in no reply to a teacher of one subject: one pupil, a class, the history, what was created and changed', async () => {
    const { ada, byrne } = st.as
    await byrne.students.update({ params: { id: elan.id }, body: { dateOfBirth: '2011-03-05' } })
    await byrne.students.update({ params: { id: elan.id }, body: { dateOfBirth: elan.date_of_birth } })
    expect(await ada.students.get({ params: { id: elan.id } })).toMatchObject({ gender: null, date_of_birth: null, first_name: 'Élan' })
    expect(await ada.classes.students({ params: { id: class3B.id } })).toMatchObject(
      pupilsOf3B.map(() => ({ gender: null, date_of_birth: null })),
    )
    expect(toldIn(await byrne.classes.students({ params: { id: class3B.id } }))).toEqual(daysOf(pupilsOf3B))
    const past = (who: typeof ada) => who.history.list({ query: { entity: 'student', id: elan.id } })
    expect(JSON.stringify(await past(ada))).not.toMatch(/2011-03-0|date_of_birth|gender/)
    expect(await past(ada)).toHaveLength((await past(byrne)).length)
    expect(JSON.stringify(await past(byrne))).toContain('2011-03-05')
    const made = await ada.students.create({ body: { firstName: 'Nóra', lastName: 'Daly', gender: 'female', dateOfBirth: '2011-08-08' } })
    expect(made).toMatchObject({ gender: null, date_of_birth: null })
    expect(await st.as.okafor.students.get({ params: { id: made.id } })).toMatchObject({ gender: 'female', date_of_birth: '2011-08-08' })
    expect(await ada.students.update({ params: { id: made.id }, body: { lastName: 'Dale' } })).toMatchObject({ date_of_birth: null })
    await st.as.okafor.students.remove({ params: { id: made.id } })
  })

  test('are shown to all who teach where the head says so, and to no member', async () => {
    expect(await wish('all_staff')).toMatchObject({ personal_data_for: 'all_staff' })
    expect(toldIn(await st.as.ada.students.list())).toEqual(daysOf([...pupilsOf3A, ...pupilsOf3B]))
    await wish('class_teachers')
    expect(toldIn(await st.as.ada.students.list())).toEqual([])
    expect(await refused(st, () => st.as.byrne.schools.updateMine.raw({ body: { personalDataFor: 'all_staff' } }))).toMatchObject({
      status: 403,
    })
    expect(await refused(st, () => st.as.okafor.schools.updateMine.raw({ body: { personalDataFor: 'all' as never } }))).toMatchObject({
      status: 400,
    })
  })

  test('are not overwritten by a person who sends back the nulls that they see', async () => {
    const params = { id: elan.id }
    const { gender, date_of_birth, first_name } = await st.as.ada.students.get({ params })
    await st.as.ada.students.update({ params, body: { firstName: first_name, gender, dateOfBirth: date_of_birth } })
    expect(await st.as.okafor.students.get({ params })).toMatchObject({ gender: 'male', date_of_birth: elan.date_of_birth })
  })

  test.each([{ dateOfBirth: '2012-01-01' }, { gender: 'female' }, { firstName: 'Alan', gender: 'other', dateOfBirth: null }] as const)(
    'are refused of whoever does not see them: %j, and nothing changes',
    async (body) => {
      const reply = await refused(st, () => st.as.ada.students.update.raw({ params: { id: elan.id }, body }))
      expect(reply).toEqual({ status: 403, code: 'students.personal_data' })
      expect(await refused(st, () => st.as.quinn.students.update.raw({ params: { id: elan.id }, body }))).toMatchObject({ status: 403 })
    },
  )

  test('are accepted from the class teacher, who may clear a birth date but not a gender', async () => {
    const changed = await st.as.quinn.students.update({ params: { id: fatima.id }, body: { dateOfBirth: null, gender: null } })
    expect(changed).toMatchObject({ date_of_birth: null, gender: 'female' })
    await st.as.quinn.students.update({ params: { id: fatima.id }, body: { dateOfBirth: fatima.date_of_birth } })
  })

  test('are not restored by undo of a person who does not see them', async () => {
    await st.as.byrne.students.update({ params: { id: zoe.id }, body: { dateOfBirth: '2011-07-20' } })
    const [entry] = await st.as.byrne.history.list({ query: { entity: 'student', id: zoe.id } })
    const params = { id: entry?.id ?? '' }
    expect(await refused(st, () => st.as.ada.history.undo.raw({ params }))).toEqual({ status: 403, code: 'students.personal_data' })
    expect(JSON.stringify(await st.as.byrne.history.undo({ params }))).toContain(zoe.date_of_birth)
  })

  test('are in no shape of a teacher, and no condition on them answers; the shape begins anew when the head decides otherwise', async () => {
    const before = await shape('ada')
    expect(before.status).toBe(200)
    expect(before.text).toContain('Adeyemi')
    expect(toldIn(before.text)).toEqual([])
    expect(before.text).not.toContain('female')
    expect(toldIn((await shape('byrne')).text)).toEqual([])
    expect((await shape('ada', `&where=${encodeURIComponent("gender = 'female'")}`)).status).toBe(403)
    expect((await shape('ada', `&where=${encodeURIComponent('date_of_birth is not null')}`)).status).toBe(403)
    expect(toldIn((await shape('okafor', `&where=${encodeURIComponent("gender = 'female'")}`)).text)).toContain(zoe.date_of_birth)
    await wish('all_staff')
    expect(toldIn((await shape('ada')).text)).toEqual(daysOf([...pupilsOf3A, ...pupilsOf3B]))
    const old = new Request(`http://markbook.test/v1/shape?table=student&offset=0_0&handle=${before.handle}`, {
      headers: { cookie: st.cookieOf('ada') },
    })
    expect((await st.app.fetch(old)).status).toBe(409)
  })

  test('are visible to last year’s class teacher, but not to another class’s', async () => {
    await st.as.okafor.classes.handOver({ params: { classId: class3A.id }, body: { teacherId: (await st.as.ada.auth.me()).id } })
    expect(toldIn(await st.as.ada.students.list())).toEqual(daysOf(pupilsOf3A))
    expect(toldIn(await st.as.quinn.students.list())).toEqual([])
  })
})
