import type { Socket } from 'node:net'
import { type DesktopStatus, desktopContract, desktopFailures } from '@markbook/shared/contract/desktop'
import { OWN_PROGRAM } from '@markbook/shared/domain/device'
import { naturalId } from '@markbook/shared/ids'
import type { Context, Hono } from 'hono'
import { setupCodeHere } from '../features/schools/setup-code.ts'
import { type Exchange, type Handlers, onOpen } from '../http/handler.ts'
import { type AppEnv, exchangeOf, mount, signIn } from '../http/mount.ts'
import type { HeaderList } from '../http/replies.ts'
import type { Services } from '../http/services.ts'
import { endSession, type SessionClient, startSession } from '../http/sessions.ts'
import { normalEmail } from '../mail/emails.ts'
import { joinByHand } from '../replication/exchange/join-by-hand.ts'
import { erasedHere } from '../replication/upstream/erased.ts'
import { asSystem } from '../store/tx.ts'
import { canJoin, desktopStatus, ownerOf } from './owner.ts'
import { isOwnAccount } from './same-account.ts'
import { isDesktopWindow, isShell, ticketStore, WINDOW_COOKIE, windowCookie } from './window-credentials.ts'

type Ctx = Context<AppEnv>

/**
 * The routes of the desktop app's own window (docs/design/desktop.md). The app exchanges the secret that it gave this server for a ticket;
 * the window exchanges the ticket for a cookie; the cookie opens the endpoints of `desktopContract`. Other servers have none of these.
 */
export function serveDesktop(app: Hono<AppEnv>, services: Services): void {
  const secret = services.config.windowSecret
  if (!secret) return
  const tickets = ticketStore(services.clock)
  app.post('/window/ticket', (c) => {
    if (!isShell(c.req.header('authorization'), secret)) throw desktopFailures.notHere()
    return c.json({ ticket: tickets.issue() }, 200, { 'cache-control': 'no-store' })
  })
  app.get('/window', (c) => {
    const isKnown = isDesktopWindow(c.req.header('cookie'), secret)
    const isTicket = tickets.take(c.req.query('ticket') ?? '') && isOwnAccount(socketOf(c))
    if (!isKnown && !isTicket) throw desktopFailures.notHere()
    return openWindow(c, services, windowCookie(secret))
  })
  app.use('/window/*', async (c, next) => {
    if (!isDesktopWindow(c.req.header('cookie'), secret)) throw desktopFailures.notHere()
    await next()
  })
  mount(app, services, 'window', desktopContract, desktopHandlers)
}

const socketOf = (c: Ctx) => (c.env.incoming?.socket ?? {}) as Pick<Socket, 'remoteAddress'> as Socket

/** Signs the owner in unless somebody is, and redirects to the app, or to the pairing page where this computer has no owner yet. */
async function openWindow(c: Ctx, services: Services, cookie: string): Promise<Response> {
  const headers: HeaderList = [['cache-control', 'no-store']]
  const signedIn = await signIn(c, services, headers)
  const { state } = await services.store.read(asSystem(), desktopStatus)
  const isReady = state === 'joined' || state === 'alone'
  if (isReady && !signedIn.caller) await signInOwner(exchangeOf(c, services, signedIn, headers))
  headers.push(['set-cookie', `${WINDOW_COOKIE}=${cookie}; Path=/window; HttpOnly; SameSite=Strict`])
  return new Response(null, { status: 303, headers: [...headers, ['location', isReady ? '/' : '/pair']] })
}

async function statusOf({ services }: Pick<Exchange, 'services'>): Promise<DesktopStatus> {
  const erased = await erasedHere(services)
  const setup = await setupCodeHere(services)
  return {
    ...(await services.store.read(asSystem(), desktopStatus)),
    ...(erased && { erased }),
    ...(setup?.isFirst && { setup_code: setup.code }),
  }
}

/** The client of a session in the window: it is a browser, but is shown to the person as Markbook. */
const inWindow = (client: SessionClient): SessionClient => ({ ...client, program: OWN_PROGRAM })

/** Starts a session for the owner of this computer. False where it has no owner. */
async function signInOwner({ services: { store, keys }, caller, client, setSession }: Exchange): Promise<boolean> {
  const session = await store.write(asSystem(), async (tx) => {
    const owner = await ownerOf(tx)
    if (!owner) return null
    if (caller) await endSession(tx, caller.session_id)
    return startSession(tx, owner.id, keys, inWindow(client()))
  })
  if (session) setSession(session)
  return session !== null
}

const desktopHandlers: Handlers<typeof desktopContract> = {
  here: onOpen(desktopContract.here, statusOf),

  join: onOpen(desktopContract.join, async (exchange, { body }) => {
    const { services } = exchange
    if (!(await services.store.read(asSystem(), canJoin))) throw desktopFailures.cannotJoin()
    await joinByHand(services, body, 'laptop')
    return statusOf(exchange)
  }),

  alone: onOpen(desktopContract.alone, async (exchange, { body }) => {
    const { services, setSession, client } = exchange
    const email = normalEmail(body.email)
    const session = await services.store.write(asSystem(), async (tx) => {
      if (!(await canJoin(tx)) || (await ownerOf(tx))) throw desktopFailures.notEmpty()
      const id = naturalId('user', email)
      await tx.insert('user_profile', { id, email, first_name: null, last_name: null, school_id: null })
      return startSession(tx, id, services.keys, inWindow(client()))
    })
    setSession(session)
    return statusOf(exchange)
  }),

  enter: onOpen(desktopContract.enter, async (exchange) => {
    if (!(await signInOwner(exchange))) throw desktopFailures.nobody()
    return { message: 'You are signed in.' }
  }),
}
