import { userIdOf } from '@markbook/shared/story/ids'
import { mathsExam, zoe } from '@markbook/shared/story/marks'
import { type Person, type PersonName, people, stBrigids } from '@markbook/shared/story/people'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { desktopStatus } from '../../desktop/owner.ts'
import { keepCode } from '../../features/auth/codes.ts'
import { issueConsoleCode, recordDeskCode } from '../../features/auth/issued-codes.ts'
import { everyParent } from '../../replication/identity/enrolment.ts'
import { revokePeer } from '../../replication/identity/nodes.ts'
import { asSystem } from '../../store/tx.ts'
import { browserOf } from '../../testing/browser.ts'
import { centreAndSchool, laptopOf } from '../../testing/joined.ts'
import { signedIn } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'

const open: School[] = []
let box: School
let laptop: School
beforeEach(async () => {
  box = (await centreAndSchool(open)).box
  laptop = (await laptopOf(open, box, people.ada.id)).laptop
})
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const CODE = '12345678'
const verify = (at: School, email: string, token = CODE) => browserOf(at.app).client.auth.verifyOtp.raw({ body: { email, token } })
const stranger = { id: userIdOf('somebody.new@mail.example'), email: 'somebody.new@mail.example' }
/** A live code, which the head issued where it is one of the desk. */
const keep = ({ services: { store, keys } }: School, { id, email }: Pick<Person, 'id' | 'email'>, kind: 'mail' | 'desk' | 'console') =>
  store.write(asSystem(people.okafor.id), async (tx) => {
    const expires_at = await keepCode(tx, { email, kind }, CODE, keys.otp)
    if (kind === 'desk') recordDeskCode(tx, stBrigids, id, 'create', { email, expires_at })
  })
const sessionsAt = ({ services }: School) => services.store.read(asSystem(), (tx) => tx.db.$count(tx.t.session))
const consoleCode = ({ services: { store, keys } }: School, who: PersonName) => issueConsoleCode(store, people[who].email, keys)
const mark = { body: { assessmentId: mathsExam.id, grades: [{ studentId: zoe.id, score: 33 }] } }

describe('on a laptop', () => {
  test.each(['mail', 'desk', 'console'] as const)('nobody signs in but its one user: a code of the %s', async (kind) => {
    // A desk signs in nobody whom its school does not know, and no administrator, anywhere.
    for (const person of kind === 'desk' ? [people.byrne] : [people.okafor, stranger]) {
      await keep(laptop, person, kind)
      const { status, body } = await verify(laptop, person.email)
      expect({ status, body }).toMatchObject({ status: 403, body: { code: 'others_laptop' } })
    }
    expect(await sessionsAt(laptop)).toBe(0)
    expect((await laptop.rows('user_profile')).some(({ email }) => email === stranger.email)).toBe(false)
    await keep(laptop, people.ada, kind)
    expect((await verify(laptop, people.ada.email)).status).toBe(200)
  })

  test('the console makes no code for anybody else, and says why', async () => {
    await expect(consoleCode(laptop, 'okafor')).rejects.toMatchObject({ code: 'others_laptop', message: /another person’s/ })
    const { code } = await consoleCode(laptop, 'ada')
    expect((await verify(laptop, people.ada.email, code)).status).toBe(200)
  })

  test('whoever was signed in before it joined saves nothing there, is told so at once, and may sign out', async () => {
    const okafor = await signedIn(laptop, 'okafor')
    await expect(okafor.grades.bulk(mark)).rejects.toMatchObject({ status: 403, code: 'others_laptop' })
    expect((await okafor.auth.me()).id).toBe(people.okafor.id)
    await okafor.auth.logout()
    await expect(okafor.auth.me()).rejects.toMatchObject({ status: 401 })
    await (await signedIn(laptop, 'ada')).grades.bulk(mark)
  })

  test('that has left its school it is the same: it is still hers', async () => {
    const [parent] = await laptop.services.store.read(asSystem(), everyParent)
    if (parent) await laptop.services.store.write(asSystem(), (tx) => revokePeer(tx, parent))
    await expect(consoleCode(laptop, 'okafor')).rejects.toMatchObject({ code: 'others_laptop' })
    expect(await laptop.services.store.read(asSystem(), desktopStatus)).toMatchObject({ person: { email: people.ada.email } })
  })
})

test('at the school’s server everybody signs in and saves as always', async () => {
  const { code } = await consoleCode(box, 'okafor')
  expect((await verify(box, people.okafor.email, code)).status).toBe(200)
  await (await signedIn(box, 'okafor')).grades.bulk(mark)
})
