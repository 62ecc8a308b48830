import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type School, school } from '../testing/school.ts'
import type { AppEnv } from './mount.ts'
import { documentFor } from './pages.ts'
import type { HeaderList } from './replies.ts'
import type { Services } from './services.ts'

const DAY = 86_400_000
let st: School
/** The cookie of a session that has ended. */
let over: string
beforeAll(async () => {
  st = await school({ database: 'sqlite' })
  over = st.cookieOf('quinn')
  await st.clientWith(over).auth.logout()
})
afterAll(() => st.close())

type PageOptions = { cookie?: string; speaks?: string; services?: Services; prerendered?: string[] }
async function documentAt(
  path: string,
  { cookie = '', speaks = '', services = st.services, prerendered = ['en', 'fr'] }: PageOptions = {},
) {
  const headers: HeaderList = []
  const app = new Hono<AppEnv>()
  app.get('*', async (c) => c.text(await documentFor(c, services, prerendered, headers)))
  const reply = await app.request(path, { headers: { cookie, 'accept-language': speaks } })
  return { name: await reply.text(), headers }
}

describe('which document a browser gets', () => {
  test.each(['/', '/subjects', '/welcome?way=create', '/sign-in?next=%2Fsubjects'])('who was never signed in here, at %s', async (path) => {
    expect((await documentAt(path)).name).toBe('/sign-in.en.html')
  })

  test.each([
    ['/', '/sign-in.en.html'],
    ['/sign-in', '/sign-in.en.html'],
    ['/subjects', '/sign-in.en.back.html'],
    ['/sign-in?next=%2Fsubjects', '/sign-in.en.back.html'],
    ['/sign-in?next=%2F', '/sign-in.en.html'],
    ['/sign-in?next=%2F%2Fevil.example', '/sign-in.en.html'],
    ['/sign-in?next=https%3A%2F%2Fevil.example', '/sign-in.en.html'],
    ['/sign-in?next=%2Fsign-in', '/sign-in.en.html'],
  ])('who was signed in here, at %s: %s', async (path, name) => {
    expect((await documentAt(path, { cookie: over })).name).toBe(name)
  })

  test.each([
    ['fr-CA,fr;q=0.9,en;q=0.8', '', 'fr'],
    ['de-DE, FR;q=0.5', '', 'fr'],
    ['de', '', 'en'],
    ['fr', 'markbook-language=en', 'en'],
    ['en', 'theme=dark; markbook-language=fr', 'fr'],
    ['fr', 'markbook-language=xx', 'fr'],
    ['fr', 'markbook-language=../en', 'fr'],
  ])('who speaks %s and chose «%s» reads %s', async (speaks, cookie, language) => {
    expect((await documentAt('/', { speaks, cookie })).name).toBe(`/sign-in.${language}.html`)
  })

  test('the app with a session, also one that this request renews', async () => {
    const cookie = st.cookieOf('byrne')
    const now = await documentAt('/subjects', { cookie })
    expect(now).toEqual({ name: '/index.html', headers: [] })
    st.clock.advance(DAY)
    const later = await documentAt('/sign-in', { cookie })
    expect(later.name).toBe('/index.html')
    expect(later.headers.map(([name]) => name)).toContain('set-cookie')
  })

  test('the app, which shows the failure, while the database does not answer', async () => {
    const away = () => Promise.reject(new Error('the disk is gone'))
    const services = { ...st.services, store: { ...st.services.store, readOnce: away, read: away, write: away } }
    expect((await documentAt('/', { cookie: st.cookieOf('ada'), services })).name).toBe('/index.html')
  })

  test('the app in the window of the desktop app, and where no page was prerendered', async () => {
    const services = { ...st.services, config: { ...st.services.config, windowSecret: 'a secret of thirty-two letters and more' } }
    expect((await documentAt('/', { services })).name).toBe('/index.html')
    expect((await documentAt('/', { prerendered: [] })).name).toBe('/index.html')
  })
})
