import { type DemoAccount, demoContract } from '@markbook/shared/contract/demo'
import { common } from '@markbook/shared/failures'
import type { Hono } from 'hono'
import { type Exchange, type Handlers, onOpen } from '../../http/handler.ts'
import { type AppEnv, mount } from '../../http/mount.ts'
import type { Services } from '../../http/services.ts'
import { normalEmail } from '../../mail/emails.ts'
import { issueConsoleCode } from './issued-codes.ts'
import { refuseFlood } from './otp.ts'
import { writeInTurn } from './sign-in-turns.ts'

/** Loopback addresses, as `networkOf` writes them. */
const isHere = (address: string) => /^127\./.test(address) || address === '0:0:0:0::/64'

/** The accounts that the client may try; empty except in a demonstration, for requests from its own machine (docs/design/server.md). */
export const accountsFor = ({ services, address }: Pick<Exchange, 'services' | 'address'>): readonly DemoAccount[] =>
  isHere(address) ? services.demo : []

const demoHandlers: Handlers<typeof demoContract> = {
  code: onOpen(demoContract.code, async (exchange, { body }) => {
    const email = normalEmail(body.email)
    if (!accountsFor(exchange).some((account) => account.email === email)) throw common.noSuchPath()
    const { store, keys } = exchange.services
    const flood = await writeInTurn(exchange, null, (tx) => refuseFlood(tx, exchange.address))
    if (flood) throw flood
    const { code } = await issueConsoleCode(store, email, keys)
    return { code }
  }),
}

export function serveDemo(app: Hono<AppEnv>, services: Services): void {
  if (services.demo.length > 0) mount(app, services, 'demo', demoContract, demoHandlers)
}
