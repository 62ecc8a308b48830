import { type Client, clientOf } from '@markbook/shared/contract/client'
import { contract } from '@markbook/shared/contract/contract'
import type { App } from '../app/app.ts'
import type { School } from './school.ts'

/** A client that keeps its cookies. `address` counts where the school was started with TRUST_PROXY=local; `agent` is its User-Agent. */
export type Browser = { client: Client<typeof contract>; cookie(): string; address: string }

export function browserOf(
  app: App,
  { address = '192.0.2.1', cookie = '', agent }: { address?: string; cookie?: string; agent?: string } = {},
): Browser {
  const jar = new Map<string, string>(cookie ? cookie.split('; ').map((pair) => pair.split('=') as [string, string]) : [])
  const header = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const client = clientOf(contract, {
    baseUrl: 'http://markbook.test',
    send: async (request) => {
      if (jar.size > 0) request.headers.set('cookie', header())
      request.headers.set('x-forwarded-for', address)
      if (agent) request.headers.set('user-agent', agent)
      const response = await app.fetch(request)
      for (const set of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
        if (set.includes('Max-Age=0')) jar.delete(name)
        else jar.set(name, value)
      }
      return response
    },
  })
  return { client, cookie: header, address }
}

/** The code of the last mail to an address. */
export function codeFor({ outbox }: Pick<School, 'outbox'>, email: string): string {
  const mail = outbox.findLast(({ to }) => to === email)
  const code = /^\d{8}$/m.exec(mail?.text ?? '')?.[0]
  if (!code) throw new Error(`no code was sent to ${email}`)
  return code
}

/** Signs in by mail, as a person does. */
export async function signIn(st: School, browser: Browser, email: string) {
  await browser.client.auth.sendOtp({ body: { email } })
  return browser.client.auth.verifyOtp({ body: { email, token: codeFor(st, email) } })
}
