import { demoContract } from '@markbook/shared/contract/demo'
import { people } from '@markbook/shared/story/people'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, createApp } from '../../app/app.ts'
import { DEMO_ACCOUNTS } from '../../cli/demo/accounts.ts'
import { browserOf } from '../../testing/browser.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
let demo: App
beforeAll(async () => {
  st = await school({ env: { TRUST_PROXY: 'local' } })
  demo = createApp({ ...st.services, demo: DEMO_ACCOUNTS })
})
afterAll(() => st.close())

const { email } = people.byrne
type DemoRequest = { app?: App; address?: string; to?: string; headers?: Record<string, string> }
async function ask({ app = demo, address = '127.0.0.1', to = email, headers = {} }: DemoRequest = {}) {
  const response = await app.request(`http://markbook.test${demoContract.code.path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address, ...headers },
    body: JSON.stringify({ email: to }),
  })
  return { status: response.status, body: (await response.json()) as { code: string } }
}

describe('a demonstration', () => {
  test('lists the accounts for this machine, and shows a code that signs in once', async () => {
    const { client } = browserOf(demo, { address: '127.0.0.1' })
    expect((await client.outage.ways()).demo).toEqual([
      { email: people.okafor.email, first_name: 'Ngozi', last_name: 'Okafor', who: 'head' },
      { email: people.byrne.email, first_name: 'Cathal', last_name: 'Byrne', who: 'class_teacher' },
      { email: people.ada.email, first_name: 'Ada', last_name: 'Nowak', who: 'subject_teacher' },
    ])
    const { status, body } = await ask()
    expect({ status, body }).toEqual({ status: 200, body: { code: expect.stringMatching(/^\d{8}$/) } })
    const verify = () => client.auth.verifyOtp.raw({ body: { email, token: body.code } })
    expect(await verify()).toMatchObject({ status: 200, body: { user: { id: people.byrne.id } } })
    expect(await verify()).toMatchObject({ status: 400 })
  })

  test('also by the loopback address of IPv6', async () => {
    expect(await ask({ address: '::1' })).toMatchObject({ status: 200 })
  })

  test('does not reveal them to other machines', async () => {
    for (const address of ['192.168.1.20', '10.0.0.1', '2001:db8::1', '::2:0:0:0:1', 'unknown']) {
      expect(await browserOf(demo, { address }).client.outage.ways()).not.toHaveProperty('demo')
      expect(await ask({ address })).toMatchObject({ status: 404, body: { code: 'no_such_path' } })
    }
  })

  test('shows no code for other people', async () => {
    const before = await st.digest()
    for (const to of [people.quinn.email, people.nobody.email, people.marker.email, 'stranger@mail.example'])
      expect(await ask({ to })).toMatchObject({ status: 404, body: { code: 'no_such_path' } })
    expect(await st.digest()).toBe(before)
  })

  test('refuses the pages of other sites', async () => {
    expect(await ask({ headers: { origin: 'https://evil.example' } })).toMatchObject({ status: 403, body: { code: 'foreign_origin' } })
  })
})

describe('every other server', () => {
  test('offers no accounts, and is 404 at that path', async () => {
    expect(await browserOf(st.app, { address: '127.0.0.1' }).client.outage.ways()).not.toHaveProperty('demo')
    expect(await ask({ app: st.app })).toMatchObject({ status: 404, body: { code: 'no_such_path' } })
  })
})
