import { people } from '@markbook/shared/story/people'
import { and, asc, eq, ne } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type School, school } from '../testing/school.ts'
import { rowsBy, statement } from './statement.ts'
import { asSystem } from './tx.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

const byEmail = statement<{ email: string }>()(({ db, t, p }) =>
  db
    .select({
      id: t.user_profile.id,
      first_name: t.user_profile.first_name,
      avatar_path: t.user_profile.avatar_path,
    })
    .from(t.user_profile)
    .where(and(ne(t.user_profile.first_name, `it's ? "odd"`), eq(t.user_profile.email, p.email), ne(t.user_profile.first_name, '?'))),
)

const membersOf = statement<{ school: string }>()(({ db, t, p }) =>
  db
    .select()
    .from(t.school_management)
    .where(
      and(eq(t.school_management.school_id, p.school), eq(t.school_management.role, 'teacher'), eq(t.school_management.is_active, true)),
    )
    .orderBy(asc(t.school_management.id)),
)

const peopleAndSchools = statement<{ id: string }>()(({ db, t, p }) =>
  db.select().from(t.user_profile).innerJoin(t.school, eq(t.school.id, t.user_profile.school_id)).where(eq(t.user_profile.id, p.id)),
)

const { email, id } = people.byrne

test('constants of a query may contain quotes and question marks', async () => {
  const rows = await st.services.store.read(asSystem(), (tx) => byEmail(tx, { email }))
  expect(rows).toEqual([{ id, first_name: expect.any(String), avatar_path: null }])
})

test('rows equal those of Drizzle', async () => {
  const { store } = st.services
  const school = (await st.rows('school_management')).find(({ user_id }) => user_id === id)?.school_id ?? ''
  const [ours, its] = await store.read(asSystem(), async (tx) => {
    const { school_management } = tx.t
    const of = and(eq(school_management.school_id, school), eq(school_management.role, 'teacher'), eq(school_management.is_active, true))
    return [await membersOf(tx, { school }), await tx.db.select().from(school_management).where(of).orderBy(asc(school_management.id))]
  })
  expect(ours.length).toBeGreaterThan(1)
  expect(ours).toEqual(its)
})

const pictureless = rowsBy('user_profile', { email: 'email' }, { columns: ['id'], where: { avatar_path: null } })

test('a constant condition of null finds the rows without a value', async () => {
  expect(await st.services.store.read(asSystem(), (tx) => pictureless(tx, { email }))).toEqual([{ id }])
})

test('a query with nested rows runs through Drizzle', async () => {
  const [row] = await st.services.store.read(asSystem(), (tx) => peopleAndSchools(tx, { id }))
  expect(row).toMatchObject({ user_profile: { id, email }, school: { id: row?.user_profile.school_id } })
})

test('a missing parameter is an error, not null', async () => {
  await expect(st.services.store.read(asSystem(), (tx) => byEmail(tx, {} as never))).rejects.toThrow('no value was given for email')
})

test('readOnce runs one statement as the service; a second one throws', async () => {
  const { store } = st.services
  expect(await store.readOnce((tx) => byEmail(tx, { email }))).toHaveLength(1)
  const twice = store.readOnce(async (tx) => [await byEmail(tx, { email }), await byEmail(tx, { email })])
  await expect(twice).rejects.toThrow('two statements need a transaction')
  expect(await store.readOnce((tx) => byEmail(tx, { email }))).toHaveLength(1)
})
