import type { Socket } from 'node:net'
import { windowContract, windowFailures } from '@markbook/shared/contract/window'
import type { Context, Hono } from 'hono'
import { type AppEnv, exchangeOf, mount, signIn } from '../http/mount.ts'
import type { HeaderList } from '../http/replies.ts'
import type { Services } from '../http/services.ts'
import { asSystem } from '../store/tx.ts'
import { cookieOf, isProgram, isWindow, ticketOffice, WINDOW_COOKIE } from './keys.ts'
import { PAIR_PAGE, PAIR_SCRIPT } from './pair.page.ts'
import { isOwnAccount } from './same-account.ts'
import { lookHere } from './whose.ts'
import { enter, windowHandlers } from './window.handlers.ts'

type Ctx = Context<AppEnv>

/**
 * How the teachers' program opens its window (decision 310): with the secret that it gave this server it gets a ticket, the window shows
 * the ticket and gets a cookie, and with that come the endpoints of `windowContract`. On any other server there is nothing here.
 */
export function serveWindow(app: Hono<AppEnv>, services: Services): void {
  const secret = services.config.windowSecret
  if (!secret) return
  const tickets = ticketOffice(services.clock)
  app.post('/window/ticket', (c) => {
    if (!isProgram(c.req.header('authorization'), secret)) throw windowFailures.notHere()
    return c.json({ ticket: tickets.issue() }, 200, { 'cache-control': 'no-store' })
  })
  app.get('/window', (c) => {
    const isKnown = isWindow(c.req.header('cookie'), secret)
    const isTicket = tickets.take(c.req.query('ticket') ?? '') && isOwnAccount(socketOf(c))
    if (!isKnown && !isTicket) throw windowFailures.notHere()
    return openWindow(c, services, cookieOf(secret))
  })
  app.get('/pair', (c) => c.html(PAIR_PAGE, 200, { 'cache-control': 'no-store' }))
  app.get('/pair.js', (c) => c.body(PAIR_SCRIPT, 200, { 'content-type': 'text/javascript; charset=UTF-8', 'cache-control': 'no-store' }))
  app.use('/window/*', async (c, next) => {
    if (!isWindow(c.req.header('cookie'), secret)) throw windowFailures.notHere()
    await next()
  })
  mount(app, services, 'window', windowContract, windowHandlers)
}

const socketOf = (c: Ctx) => (c.env.incoming?.socket ?? {}) as Pick<Socket, 'remoteAddress'> as Socket

/** Signed in already, or signed in now; to the app, or to the page of the first start. */
async function openWindow(c: Ctx, services: Services, cookie: string): Promise<Response> {
  const headers: HeaderList = [['cache-control', 'no-store']]
  const signedIn = await signIn(c, services, headers)
  const { state } = await services.store.read(asSystem(), lookHere)
  const isReady = state === 'joined' || state === 'alone'
  if (isReady && !signedIn.caller) await enter(exchangeOf(c, services, signedIn, headers))
  headers.push(['set-cookie', `${WINDOW_COOKIE}=${cookie}; Path=/window; HttpOnly; SameSite=Strict`])
  return new Response(null, { status: 303, headers: [...headers, ['location', isReady ? '/' : '/pair']] })
}
