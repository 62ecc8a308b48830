import { hilltop, people, stBrigids } from '@markbook/shared/story/people'
import { eq } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { type Browser, browserOf } from '../../testing/browser.ts'
import { signedIn } from '../../testing/nodes.ts'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'

const NEW = 'new.teacher@mail.example'
const DAY = 86_400_000

let st: School
const open = async (env: Record<string, string> = {}) => {
  st = await school({ env: { DEDICATED: 'true', ...env } })
}
afterEach(() => st.close())

type Role = 'teacher' | 'member' | 'admin'
const invite = (email: string, role: Role = 'teacher', byMail = false) =>
  st.as.okafor.invitations.invite({ body: { people: [{ email, role }], byMail } })
async function invited(email: string, role: Role = 'teacher') {
  const { invitations } = await invite(email, role)
  const [invitation] = invitations
  if (!invitation?.code) throw new Error('no invitation with a code')
  return { ...invitation, code: invitation.code }
}
const verify = (email: string, token: string, browser: Browser = browserOf(st.app)) =>
  browser.client.auth.verifyOtp.raw({ body: { email, token } })
/** A person who signs in with the code of an invitation. */
async function arrived(email: string, code: string) {
  const browser = browserOf(st.app)
  expect((await verify(email, code, browser)).status).toBe(200)
  return browser.client
}
const mailsTo = (email: string) => st.outbox.filter(({ to }) => to === email)
const send = (email: string) => browserOf(st.app).client.auth.sendOtp.raw({ body: { email } })

describe('on the server of one school', () => {
  beforeEach(() => open())

  test('a printed code signs its address in, and agreeing makes a member with the role at once', async () => {
    const { code, url, email, invited_by, mailed } = await invited('New.Teacher@Mail.example')
    expect({ email, mailed, by: invited_by.id }).toEqual({ email: NEW, mailed: false, by: people.okafor.id })
    expect(code).toMatch(/^(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}$/)
    const filledIn = new URLSearchParams(new URL(url).hash.slice(1))
    expect(Object.fromEntries(filledIn)).toEqual({ email: NEW, code, school: 'St Brigid’s', by: 'Ngozi Okafor' })

    const person = await arrived(NEW, code.toLowerCase().replaceAll('-', ' '))
    expect(await person.schools.offers()).toMatchObject([{ school: { id: stBrigids }, role: 'teacher', is_invitation: true }])
    await person.auth.onboard({ body: { firstName: 'Nuala', lastName: 'Reilly' } })
    const request = await person.schools.requestToJoin({ params: { schoolId: stBrigids } })
    expect(request).toMatchObject({ status: 'approved', reviewed_by: people.okafor.id, school: { id: stBrigids } })
    expect(await person.auth.me()).toMatchObject({ school_id: stBrigids, role: 'teacher', pending_join_request: null })

    expect(await st.as.okafor.invitations.list()).toEqual([])
    expect(await verify(NEW, code)).toMatchObject({ status: 400, body: { code: 'otp_invalid' } })
    const { store } = st.services
    const history = await store.read(asSystem(), ({ db, t }) =>
      db.select().from(t.history).where(eq(t.history.entity, 'school_invitation')),
    )
    expect(history.map(({ action }) => action).sort()).toEqual(['create', 'update'])
  })

  test('saving the name with the school’s id makes a member, too', async () => {
    const person = await arrived(NEW, (await invited(NEW, 'member')).code)
    const saved = await person.auth.onboard({ body: { firstName: 'Nuala', lastName: 'Reilly', schoolId: stBrigids } })
    expect(saved).toMatchObject({ school_id: stBrigids, joinRequest: { status: 'approved' } })
  })

  test('a code can be reused until the invitation is answered; declined, withdrawn, replaced or expired, it is refused', async () => {
    const { code } = await invited(NEW)
    await arrived(NEW, code)
    const person = await arrived(NEW, code)
    await person.schools.declineOffer({ params: { schoolId: stBrigids } })
    expect((await verify(NEW, code)).status).toBe(400)

    const second = await invited(NEW)
    await st.as.okafor.invitations.withdraw({ params: { id: second.id } })
    expect((await verify(NEW, second.code)).status).toBe(400)

    const third = await invited(NEW)
    const fourth = await invited(NEW)
    expect((await verify(NEW, third.code)).status).toBe(400)
    expect(await st.as.okafor.invitations.list()).toMatchObject([{ id: fourth.id }])
    st.clock.advance(14 * DAY)
    expect((await verify(NEW, fourth.code)).status).toBe(400)
    expect(await (await signedIn(st, 'okafor')).invitations.list()).toEqual([])
  })

  test('it ends with the rights of its author', async () => {
    await st.as.okafor.schools.updateMember({ params: { userId: people.doyle.id }, body: { isActive: true, role: 'admin' } })
    const { code } = await invited(NEW)
    const person = await arrived(NEW, code)
    const second = await invited('second@mail.example')
    await (await arrived('second@mail.example', second.code)).auth.me()
    await st.services.store.write(asSystem(), async (tx) => {
      const own = (await tx.db.select().from(tx.t.school_management)).find(({ user_id }) => user_id === people.okafor.id)
      if (own) await tx.update('school_management', own, { role: 'teacher' })
    })
    expect((await verify('second@mail.example', second.code)).status).toBe(400)
    expect(await person.schools.offers()).toEqual([])
    expect(await person.schools.requestToJoin({ params: { schoolId: stBrigids } })).toMatchObject({ status: 'pending' })
  })

  test('a code signs in nobody who already has a place in a school', async () => {
    expect(await invite(people.byrne.email)).toEqual({ invitations: [], members: [people.byrne.email] })
    const { code } = await invited(people.markerTeacher.email)
    expect(await verify(people.markerTeacher.email, code)).toMatchObject({ status: 400, body: { code: 'otp_invalid' } })
    // They sign in as usual, and see the offer.
    expect(await st.as.markerTeacher.schools.offers()).toMatchObject([{ is_invitation: true }])
  })

  test('the code of one address is not that of another', async () => {
    const { code } = await invited(NEW)
    await invited('other@mail.example')
    expect((await verify('other@mail.example', code)).status).toBe(400)
  })

  test('it does not reactivate a suspended member', async () => {
    expect(await invite(people.doyle.email)).toEqual({ invitations: [], members: [people.doyle.email] })
  })

  test('approving an earlier request makes a member, and deletes their invitation', async () => {
    const person = await arrived(NEW, (await invited(NEW)).code)
    await st.as.okafor.invitations.withdraw({ params: { id: (await st.as.okafor.invitations.list())[0]?.id as string } })
    const { id } = await person.schools.requestToJoin({ params: { schoolId: stBrigids } })
    await invited(NEW)
    await st.as.okafor.schools.approve({ params: { requestId: id }, body: { role: 'member' } })
    expect(await st.as.okafor.invitations.list()).toEqual([])
    expect(await person.auth.me()).toMatchObject({ role: 'member' })
  })

  test('by mail it brings the page with both filled in', async () => {
    const { invitations } = await invite(NEW, 'teacher', true)
    expect(invitations).toMatchObject([{ mailed: true }])
    const [mail] = mailsTo(NEW)
    expect(mail?.text).toContain(invitations[0]?.url)
    expect(mail?.text).toContain('Ngozi Okafor invites you to join St Brigid’s')
  })

  test('invitations of another school cannot be seen, withdrawn or accepted', async () => {
    const { id, code } = await invited(NEW)
    expect(await st.as.marker.invitations.list()).toEqual([])
    expect(await refused(st, () => st.as.marker.invitations.withdraw.raw({ params: { id } }))).toMatchObject({ status: 404 })
    const person = await arrived(NEW, code)
    expect(await person.schools.requestToJoin({ params: { schoolId: hilltop } })).toMatchObject({ status: 'pending' })
  })

  test('of two who accept at once in two windows one is refused, and there is one membership', async () => {
    const person = await arrived(NEW, (await invited(NEW)).code)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => person.schools.requestToJoin.raw({ params: { schoolId: stBrigids } })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)])
  })

  test('at most a hundred at once, and a thousand open ones', async () => {
    const many = (count: number, at = 0) =>
      Array.from({ length: count }, (_, n) => ({ email: `p${at + n}@mail.example`, role: 'teacher' as const }))
    const over = () => st.as.okafor.invitations.invite.raw({ body: { people: many(101) } })
    expect(await refused(st, over)).toMatchObject({ status: 400, code: 'validation_failed' })
    for (let at = 0; at < 1_000; at += 100) await st.as.okafor.invitations.invite({ body: { people: many(100, at) } })
    const more = () => st.as.okafor.invitations.invite.raw({ body: { people: many(1, 1_000) } })
    expect(await refused(st, more)).toEqual({ status: 409, code: 'invitations.too_many' })
    await st.as.marker.invitations.invite({ body: { people: many(1) } })
  })
})

describe('mailed codes', () => {
  const strangers = 'stranger@mail.example'

  test('on the server of one school: for members, suspended ones too, applicants and invited people; a stranger gets the same reply and no mail', async () => {
    await open()
    await invite(NEW)
    const known = [people.byrne.email, people.doyle.email, people.tomas.email, NEW]
    const replies = []
    for (const email of [...known, strangers]) replies.push(await send(email))
    expect(new Set(replies.map(({ status, body }) => JSON.stringify({ status, body }))).size).toBe(1)
    for (const email of known) expect(mailsTo(email), email).toHaveLength(1)
    expect(mailsTo(strangers)).toEqual([])
    expect(await send(strangers)).toMatchObject({ status: 429, body: { code: 'otp_too_soon' } })
    expect(await st.anonymous.outage.ways()).toMatchObject({ invited_only: true })
  })

  test.each([
    ['OPEN_SIGN_UP', 'true'],
    ['DEDICATED', 'false'],
  ])('with %s=%s everybody', async (name, value) => {
    await open({ [name]: value })
    await send(strangers)
    expect(mailsTo(strangers)).toHaveLength(1)
    expect(await st.anonymous.outage.ways()).not.toHaveProperty('invited_only')
  })

  test('before the first school is founded everybody; then nobody else', async () => {
    st = await school({ env: { DEDICATED: 'true' }, story: false, seed: 'sign-up' })
    await send('founder@mail.example')
    expect(mailsTo('founder@mail.example')).toHaveLength(1)
  })
})

test('with several schools no code is made, since only a mail proves who owns an address', async () => {
  await open({ DEDICATED: 'false' })
  const { invitations } = await invite(NEW, 'teacher', true)
  expect(invitations).toMatchObject([{ code: null, mailed: true }])
  const filledIn = new URLSearchParams(new URL(invitations[0]?.url as string).hash.slice(1))
  expect([...filledIn.keys()]).toEqual(['email', 'school', 'by'])
  expect(mailsTo(NEW)).toHaveLength(1)
})
