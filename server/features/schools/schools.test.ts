import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toInstant } from '@markbook/shared/clock'
import { limits } from '@markbook/shared/limits'
import { stBrigids } from '@markbook/shared/story/people'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { newcomers } from '../../testing/newcomers.ts'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'
import { setupCodeHere } from './setup-code.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

const names = async () => (await st.as.nobody.schools.list()).map((one) => one.name)
const primary = { name: 'Élan Primary', schoolType: 'primary' } as const
const switchOff = (id: string, is_active: boolean) =>
  st.services.store.write(asSystem(), async (tx) => {
    const before = await tx.find('school', id, id)
    if (before) await tx.update('school', [{ before, patch: { is_active } }])
  })

describe('GET /api/schools', () => {
  test('id, name and type of the active schools, for everybody who is signed in', async () => {
    expect(await st.as.nobody.schools.list()).toEqual([
      { id: expect.any(String), name: 'Hilltop-Marker School', school_type: 'secondary' },
      { id: stBrigids, name: 'St Brigid’s', school_type: 'secondary' },
    ])
    expect(await names()).toEqual(['Hilltop-Marker School', 'St Brigid’s'])
  })

  test('401 without a session', async () => {
    await expect(st.anonymous.schools.list()).rejects.toMatchObject({ status: 401 })
  })

  test('ordered by name, whatever its case and accents', async () => {
    const [first, second, third] = await newcomers(st, 3, 'order')
    await first?.as.schools.create({ body: primary })
    await second?.as.schools.create({ body: { ...primary, name: 'eden primary' } })
    await third?.as.schools.create({ body: { ...primary, name: 'Zion' } })
    expect(await names()).toEqual(['eden primary', 'Élan Primary', 'Hilltop-Marker School', 'St Brigid’s', 'Zion'])
  })

  test('a renamed school is listed under its new name at once', async () => {
    await names()
    await st.as.marker.schools.updateMine({ body: { name: 'A Hilltop-Marker School' } })
    expect((await names())[0]).toBe('A Hilltop-Marker School')
  })

  test('a deactivated school is not listed from the next request, and a reactivated one is again', async () => {
    await names()
    await switchOff(stBrigids, false)
    expect(await names()).not.toContain('St Brigid’s')
    await switchOff(stBrigids, true)
    expect(await names()).toContain('St Brigid’s')
  })

  test('an older list that a slow reader caches is not returned', async () => {
    const { cache } = st.services
    const kept: { value: unknown; stamp: unknown }[] = []
    const set = cache.set.bind(cache)
    cache.set = async (key, value, ttlMs, stamp) => {
      if (key === 'schools:all') kept.push({ value, stamp })
      return set(key, value, ttlMs, stamp)
    }
    await st.as.marker.schools.updateMine({ body: { name: 'A Hilltop-Marker School again' } })
    await names()
    const [late] = await newcomers(st, 1, 'late')
    await late?.as.schools.create({ body: { ...primary, name: 'Late School' } })
    const [old] = kept
    expect(old?.value).not.toContainEqual(expect.objectContaining({ name: 'Late School' }))
    await set('schools:all', old?.value, limits.cache.schoolListMs, old?.stamp as string)
    expect(await names()).toContain('Late School')
  })

  test('an unchanged list is answered from the cache', async () => {
    await names()
    const { cache } = st.services
    const set = cache.set
    let writes = 0
    cache.set = async (...all) => {
      writes += 1
      return set(...all)
    }
    await names()
    cache.set = set
    expect(writes).toBe(0)
  })
})

describe('POST /api/schools', () => {
  test('the creator is its administrator from the next request', async () => {
    const [founder] = await newcomers(st, 1, 'founder')
    const { status, body } = (await founder?.as.schools.create.raw({
      body: { ...primary, name: 'Founded', code: 'F1', address: '1 Street', email: ' Office@Founded.Example ', phone: '045 1' },
    })) ?? { status: 0, body: null }
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        id: expect.any(String),
        name: 'Founded',
        code: 'F1',
        school_type: 'primary',
        address: '1 Street',
        email: 'office@founded.example',
        phone: '045 1',
        is_active: true,
      },
    })
    const me = await founder?.as.auth.me()
    expect(me).toMatchObject({ role: 'admin', school: { name: 'Founded' } })
    expect(await founder?.as.schools.members()).toMatchObject([{ user_id: founder?.id, role: 'admin', is_active: true }])
    expect(await founder?.as.subjects.list()).toEqual([])
  })

  test.each([
    ['primary', 8],
    ['secondary', 15],
  ] as const)('starterSubjects gives a %s school %i subjects in order', async (schoolType, count) => {
    const [founder] = await newcomers(st, 1, `starter-${schoolType}`)
    await founder?.as.schools.create({ body: { name: `Starter ${schoolType}`, schoolType, starterSubjects: true } })
    const subjects = (await founder?.as.subjects.list()) ?? []
    expect(subjects.map((subject) => subject.sort_order)).toEqual(Array.from({ length: count }, (_, at) => at + 1))
    expect(new Set(subjects.map((subject) => subject.code)).size).toBe(count)
    expect(subjects[0]).toMatchObject({ name: 'English', is_active: true })
  })

  test.each(['okafor', 'byrne', 'niamh', 'marker'] as const)('409 for %s, who has an active school, and nothing changes', async (name) => {
    const answer = { status: 409, code: 'schools.already_in_school' }
    expect(await refused(st, () => st.as[name].schools.create.raw({ body: primary }))).toEqual(answer)
  })

  test('of ten by one person at once, one creates a school and nine are 409', async () => {
    const [eager] = await newcomers(st, 1, 'eager')
    const answers = await Promise.all(
      Array.from({ length: 10 }, async () => eager?.as.schools.create.raw({ body: { ...primary, name: 'Eager' } })),
    )
    expect(answers.map((answer) => answer?.status).sort()).toEqual([201, ...Array(9).fill(409)])
    expect((await st.rows('school')).filter((one) => one.name === 'Eager')).toHaveLength(1)
  })

  test('somebody whose school suspended them may start their own', async () => {
    expect((await st.as.doyle.schools.create.raw({ body: { ...primary, name: 'Doyle’s' } })).status).toBe(201)
    expect(await st.as.doyle.schools.mine()).toMatchObject({ name: 'Doyle’s' })
  })

  test('the creator’s own waiting request is withdrawn', async () => {
    await st.as.tomas.schools.create({ body: { ...primary, name: 'Keane’s' } })
    expect(await st.as.okafor.schools.joinRequests()).toEqual([])
    expect(await st.as.tomas.auth.me()).toMatchObject({ school: { name: 'Keane’s' }, pending_join_request: null })
  })

  test.each([
    ['no name', { schoolType: 'primary' }],
    ['no type', { name: 'x' }],
    ['an unknown type', { ...primary, schoolType: 'tertiary' }],
    ['an address that is no email', { ...primary, email: 'office' }],
    ['a name with a line break', { ...primary, name: 'a\nb' }],
    ['a name of 201 characters', { ...primary, name: 'x'.repeat(201) }],
    ['a field that it does not take', { ...primary, isActive: false }],
    ['a list', []],
  ])('400 for %s, and nothing changes', async (_what, body) => {
    expect(await refused(st, () => st.as.nobody.schools.create.raw({ body }))).toEqual({ status: 400, code: 'validation_failed' })
  })
})

describe('GET and PATCH /api/schools/mine', () => {
  test('every participant reads their own school', async () => {
    expect(await st.as.niamh.schools.mine()).toMatchObject({ id: stBrigids, name: 'St Brigid’s', address: '4 Mill Road, Kildare' })
    await expect(st.as.nobody.schools.mine()).rejects.toMatchObject({ status: 403, code: 'no_school' })
  })

  test('an administrator changes name and contact; null takes away, what is not named stays', async () => {
    const changed = await st.as.okafor.schools.updateMine({ body: { name: 'St Brigid’s College', phone: '045 2', address: null } })
    expect(changed).toMatchObject({ name: 'St Brigid’s College', phone: '045 2', address: null, email: null, school_type: 'secondary' })
    expect(await st.as.ada.auth.me()).toMatchObject({ school: { name: 'St Brigid’s College' } })
  })

  test.each(['byrne', 'niamh', 'nobody'] as const)('403 for %s, and nothing changes', async (name) => {
    expect(await refused(st, () => st.as[name].schools.updateMine.raw({ body: { name: 'x' } }))).toMatchObject({ status: 403 })
  })

  test('an administrator sets the school days; everybody reads them, and null is Monday to Friday again', async () => {
    expect(await st.as.niamh.schools.mine()).toMatchObject({ school_days: null })
    const sundayToThursday = [1, 2, 3, 4, 7]
    expect(await st.as.okafor.schools.updateMine({ body: { schoolDays: sundayToThursday } })).toMatchObject({
      school_days: sundayToThursday,
    })
    await st.as.okafor.schools.updateMine({ body: { phone: '045 3' } })
    expect(await st.as.niamh.schools.mine()).toMatchObject({ school_days: sundayToThursday, phone: '045 3' })
    const [entry] = await st.as.okafor.history.list({ query: { entity: 'school', id: stBrigids } })
    expect(entry?.changes).not.toHaveProperty('school_days')
    const before = await st.digest()
    await st.as.okafor.schools.updateMine({ body: { schoolDays: sundayToThursday } })
    expect(await st.digest()).toEqual(before)
    expect(await st.as.okafor.schools.updateMine({ body: { schoolDays: null } })).toMatchObject({ school_days: null })
    expect(await st.as.niamh.schools.mine()).toMatchObject({ school_days: null })
  })

  test.each([[[]], [[7, 1]], [[1, 1]], [[0]], [[1, 8]], [[1.5]], [['1']], ['12345'], [Array.from({ length: 1_000 }, (_, at) => at)]])(
    '400 for the school days %j',
    async (schoolDays) => {
      const answer = await refused(st, () => st.as.okafor.schools.updateMine.raw({ body: { schoolDays: schoolDays as number[] } }))
      expect(answer).toMatchObject({ status: 400, code: 'validation_failed' })
    },
  )

  test.each(['byrne', 'niamh'] as const)('403 for %s, who sets school days', async (name) => {
    expect(await refused(st, () => st.as[name].schools.updateMine.raw({ body: { schoolDays: [7] } }))).toMatchObject({ status: 403 })
  })

  test('an administrator sets the language of printed documents; an absent field keeps it, and null is English again', async () => {
    expect(await st.as.niamh.schools.mine()).toMatchObject({ document_language: null })
    const said = await st.as.okafor.schools.updateMine({ body: { documentLanguage: 'fr' } })
    expect(said).toMatchObject({ document_language: 'fr' })
    await st.as.okafor.schools.updateMine({ body: { phone: '045 4', schoolDays: null } })
    expect(await st.as.niamh.schools.mine()).toMatchObject({ document_language: 'fr', phone: '045 4' })
    const before = await st.digest()
    await st.as.okafor.schools.updateMine({ body: { documentLanguage: 'fr' } })
    expect(await st.digest()).toEqual(before)
    expect(await st.as.okafor.schools.updateMine({ body: { documentLanguage: null } })).toMatchObject({ document_language: null })
  })

  test.each(['de', 'FR', '', 1, ['fr']])('400 for the language %j', async (language) => {
    const body = { documentLanguage: language as 'fr' }
    const answer = await refused(st, () => st.as.okafor.schools.updateMine.raw({ body }))
    expect(answer).toMatchObject({ status: 400, code: 'validation_failed' })
  })

  test.each(['byrne', 'niamh'] as const)('403 for %s, who sets the language of documents', async (name) => {
    const answer = await refused(st, () => st.as[name].schools.updateMine.raw({ body: { documentLanguage: 'fr' } }))
    expect(answer).toMatchObject({ status: 403 })
  })

  test('400 for the type, which never changes', async () => {
    expect(await refused(st, () => st.as.okafor.schools.updateMine.raw({ body: { schoolType: 'primary' } }))).toMatchObject({ status: 400 })
  })
})

describe('a dedicated deployment', () => {
  let own: School
  beforeAll(async () => {
    own = await school({ env: { DEDICATED: 'true' }, story: false, seed: 'dedicated' })
  })
  afterAll(() => own.close())

  test('of 50 schools by 50 people at once, one is created and 49 are 403', async () => {
    const crowd = await newcomers(own, 50)
    const answers = await Promise.all(crowd.map((one) => one.as.schools.create.raw({ body: { ...primary, name: one.email } })))
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1)
    const rest = answers.filter((answer) => answer.status !== 201)
    expect(new Set(rest.map((answer) => `${answer.status} ${(answer.body as { code: string }).code}`))).toEqual(
      new Set(['403 schools.dedicated']),
    )
    expect(await own.rows('school')).toHaveLength(1)
    expect(await own.rows('school_management')).toHaveLength(1)
  })

  test('403 from then on, whatever the body', async () => {
    const [late] = await newcomers(own, 1, 'late')
    expect(await refused(own, () => late?.as.schools.create.raw({ body: { nonsense: 1 } }) as never)).toEqual({
      status: 403,
      code: 'schools.dedicated',
    })
  })
})

describe('the setup code', () => {
  const closed = (env: Record<string, string> = {}) => school({ env: { OPEN_FOUNDING: 'false', ...env }, story: false, seed: 'closed' })
  const refusal = { status: 403, code: 'schools.setup_code' }

  test.each([
    ['none', undefined],
    ['an empty guess', ' '],
    ['another', 'AAAA-AAAA-AAAA-AAAA'],
  ])('with %s nobody founds a school, and nothing is written', async (_what, setupCode) => {
    const own = await closed()
    const [stranger] = await newcomers(own, 1)
    const body = { ...primary, ...(setupCode !== undefined && { setupCode }) }
    const { status } = (await stranger?.as.schools.create.raw({ body })) ?? {}
    expect(status).toBe(setupCode === ' ' ? 400 : 403)
    if (setupCode !== ' ') expect(await refused(own, () => stranger?.as.schools.create.raw({ body }) as never)).toEqual(refusal)
    expect(await own.rows('school')).toEqual([])
    await own.close()
  })

  test('of ten people with the same code at once one founds a school, and the next needs another code', async () => {
    const own = await closed()
    const setupCode = (await setupCodeHere(own.services))?.code ?? ''
    expect(setupCode).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/)
    const crowd = await newcomers(own, 10)
    const answers = await Promise.all(crowd.map((one) => one.as.schools.create.raw({ body: { ...primary, name: one.email, setupCode } })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(403)])
    const next = await setupCodeHere(own.services)
    expect(next).toEqual({ code: expect.stringMatching(/-/), isFirst: false })
    expect(next?.code).not.toBe(setupCode)
    const [late] = await newcomers(own, 1, 'late')
    // As people type it.
    const typed = ` ${next?.code.toLowerCase().replaceAll('-', ' ').replaceAll('o', '0').replaceAll('b', '8')}`
    expect((await late?.as.schools.create.raw({ body: { ...primary, setupCode: typed } }))?.status).toBe(201)
    await own.close()
  })

  test('the operator’s own code is accepted while it is set', async () => {
    const own = await closed({ SETUP_CODE: 'Our Ministry 2026' })
    const people = await newcomers(own, 2)
    for (const one of people)
      expect((await one.as.schools.create.raw({ body: { ...primary, setupCode: 'Our Ministry 2026' } })).status).toBe(201)
    await own.close()
  })

  test('a dedicated node with its school has none, and refuses any code', async () => {
    const own = await closed({ DEDICATED: 'true' })
    const [head, late] = await newcomers(own, 2)
    const setupCode = (await setupCodeHere(own.services))?.code ?? ''
    expect(await own.anonymous.outage.ways()).not.toHaveProperty('one_school')
    expect((await head?.as.schools.create.raw({ body: { ...primary, setupCode } }))?.status).toBe(201)
    expect(await setupCodeHere(own.services)).toBeNull()
    expect(await own.anonymous.outage.ways()).toMatchObject({ one_school: true })
    expect(await st.anonymous.outage.ways()).not.toHaveProperty('one_school')
    expect(await refused(own, () => late?.as.schools.create.raw({ body: { ...primary, setupCode } }) as never)).toEqual({
      status: 403,
      code: 'schools.dedicated',
    })
    await own.close()
  })

  test('the sign-in methods show that it is needed, but not the code', async () => {
    const own = await closed()
    const answer = await own.anonymous.outage.ways()
    expect(answer).toMatchObject({ setup_code: true })
    expect(JSON.stringify(answer)).not.toContain((await setupCodeHere(own.services))?.code)
    expect(await st.anonymous.outage.ways()).not.toHaveProperty('setup_code')
    await own.close()
  })
})

describe('GET /api/schools/mine/backups', () => {
  test('says when the newest was made and when one last came back whole; for administrators only', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'markbook-short-'))
    const { dataDir: before, backupDir } = st.services.config
    Object.assign(st.services.config, { dataDir, backupDir: dataDir })
    try {
      const nothing = { scheduled: true, newest_at: null, proved_at: null, trial_failed: false, overdue: false }
      expect(await st.as.okafor.schools.backups()).toEqual(nothing)
      const id = '01920000-0000-7000-8000-000000000001'
      writeFileSync(join(dataDir, 'database.json'), JSON.stringify({ id, school: null }))
      const own = join(dataDir, id)
      mkdirSync(join(own, '2026-01-13T01-00-00Z-nightly'), { recursive: true })
      // Made while the clock was ahead: it does not hide that none is made any more.
      mkdirSync(join(own, '2031-01-12T01-00-00Z-nightly'))
      const made = { ...nothing, newest_at: '2026-01-13T01:00:00.000Z' }
      const now = st.clock.now()
      st.clock.set('2026-01-14T23:00:00.000Z')
      expect(await st.as.okafor.schools.backups()).toEqual(made)
      // The server makes one every hour; administrators must learn that it does not.
      st.clock.set('2026-01-15T02:00:00.000Z')
      expect(await st.as.okafor.schools.backups()).toEqual({ ...made, overdue: true })
      st.services.config.backups = false
      expect(await st.as.okafor.schools.backups()).toEqual({ ...made, scheduled: false })
      st.services.config.backups = true
      st.clock.set('2026-01-13T02:00:00.000Z')
      const sound = { at: '2026-01-12T20:00:00.000Z', backup: 'x' }
      writeFileSync(join(own, 'rehearsal.json'), JSON.stringify({ at: '2026-01-13T01:10:00.000Z', backup: 'y', flaw: 'short', sound }))
      expect(await st.as.okafor.schools.backups()).toEqual({ ...made, proved_at: sound.at, trial_failed: true })
      await expect(st.as.byrne.schools.backups()).rejects.toMatchObject({ status: 403 })

      // A backup from before a school was founded says nothing of it.
      st.clock.set('2026-01-13T01:20:00.000Z')
      const [founder] = await newcomers(st, 1, 'after-the-backup')
      await founder?.as.schools.create({ body: { ...primary, name: 'After the backup' } })
      expect(await founder?.as.schools.backups()).toMatchObject({ newest_at: null, proved_at: null, overdue: false })
      st.clock.set('2026-01-15T01:30:00.000Z')
      expect(await founder?.as.schools.backups()).toMatchObject({ newest_at: null, overdue: true })
      mkdirSync(join(own, '2026-01-15T01-00-00Z-nightly'))
      expect(await founder?.as.schools.backups()).toMatchObject({ newest_at: '2026-01-15T01:00:00.000Z', proved_at: null, overdue: false })
      st.clock.set(toInstant(now))
    } finally {
      Object.assign(st.services.config, { dataDir: before, backupDir })
      rmSync(dataDir, { recursive: true })
    }
  })
})

describe('GET /api/schools/mine/addresses', () => {
  const lan = ['https://192.168.1.20:3000', 'https://203.0.113.9:3000']
  const reached = (urls: readonly string[], settings: object) => {
    st.services.presence = { urls: () => urls }
    Object.assign(st.services.config, settings)
    return st.as.okafor.schools.addresses()
  }
  const follows = { publicUrlFollows: true }
  const set = (publicUrl: string) => ({ publicUrlFollows: false, publicUrl })
  let before: object
  beforeAll(() => {
    const { publicUrl, publicUrlFollows } = st.services.config
    before = { publicUrl, publicUrlFollows }
  })
  afterAll(() => reached([], before))

  test('where other devices reach the server, the best first, always up to date', async () => {
    expect(await reached(lan, follows)).toEqual({ urls: lan, duplicates: [] })
    expect(await reached(lan.slice(1), follows)).toEqual({ urls: lan.slice(1), duplicates: [] })
  })

  test('none where it listens only on its own computer', async () => {
    expect(await reached([], follows)).toEqual({ urls: [], duplicates: [] })
    for (const here of ['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000'])
      expect(await reached(lan, set(here))).toEqual({ urls: [], duplicates: [] })
  })

  test('only the one that its operator set, if there is one', async () => {
    expect(await reached(lan, set('https://marks.school.example'))).toEqual({ urls: ['https://marks.school.example'], duplicates: [] })
  })

  test('for administrators only', async () => {
    await expect(st.as.byrne.schools.addresses()).rejects.toMatchObject({ status: 403 })
    await expect(st.anonymous.schools.addresses()).rejects.toMatchObject({ status: 401 })
  })

  test('other servers of the same database, for administrators alone', async () => {
    const duplicates = ['https://192.168.1.31:3000']
    st.services.presence = { urls: () => lan, duplicates: () => duplicates }
    expect(await st.as.okafor.schools.addresses()).toMatchObject({ duplicates })
    await expect(st.as.byrne.schools.addresses()).rejects.toMatchObject({ status: 403 })
  })
})
