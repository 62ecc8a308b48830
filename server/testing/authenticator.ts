import type { Client } from '@markbook/shared/contract/client'
import type { contract } from '@markbook/shared/contract/contract'
import { stepAt, totpOf } from '../features/auth/totp.ts'
import type { TestClock } from './clock.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Decodes the secret in the QR code; written independently of the program, from RFC 4648. */
export function fromBase32(text: string): Buffer {
  let bits = 0n
  for (const letter of text) bits = (bits << 5n) | BigInt(ALPHABET.indexOf(letter))
  const extra = (text.length * 5) % 8
  return Buffer.from((bits >> BigInt(extra)).toString(16).padStart(Math.floor((text.length * 5) / 8) * 2, '0'), 'hex')
}

/** An authenticator app: its code now, or some steps from now. */
export type Authenticator = { code(steps?: number): string; secret: string }

export const authenticator = (secret: string, clock: TestClock): Authenticator => ({
  secret,
  code: (steps = 0) => totpOf(fromBase32(secret), stepAt(clock.now()) + steps),
})

/** Enrols and confirms an app for a person, which uses the code of the present step. */
export async function enrolled(client: Client<typeof contract>, clock: TestClock): Promise<Authenticator> {
  const { secret } = await client.outage.enrolTotp()
  const app = authenticator(secret, clock)
  await client.outage.confirmTotp({ body: { token: app.code() } })
  return app
}
