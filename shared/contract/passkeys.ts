import { z } from 'zod'
import { failures } from '../failures.ts'
import { limits } from '../limits.ts'
import { auth } from './auth.ts'
import { Assertion, NewCredential } from './credentials.ts'
import { endpoint } from './endpoint.ts'
import { choice, Done, Id, Instant, input, Name, row } from './scalars.ts'

const { perPerson } = limits.passkeys

/** `host`: the server name for which it was created; it signs in only there. */
const Passkey = row('Passkey', { id: Id, name: z.string(), host: z.string(), created_at: Instant, last_used_at: Instant.nullable() })

const Known = z.object({ id: z.string(), type: z.literal('public-key'), transports: z.array(z.string()).optional() })

/** The field names are those of `PublicKeyCredential.parseCreationOptionsFromJSON`. */
const PasskeyCreation = row('PasskeyCreation', {
  challenge: z.string(),
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.int() })),
  timeout: z.int(),
  excludeCredentials: z.array(Known),
  authenticatorSelection: z.object({
    residentKey: choice(['required']),
    requireResidentKey: z.boolean(),
    userVerification: choice(['required']),
  }),
  attestation: choice(['none']),
})

/** The field names are those of `PublicKeyCredential.parseRequestOptionsFromJSON`. */
const PasskeyRequest = row('PasskeyRequest', {
  challenge: z.string(),
  rpId: z.string(),
  timeout: z.int(),
  userVerification: choice(['required']),
  allowCredentials: z.array(Known).optional(),
})

export const passkeyFailures = failures('passkeys', {
  needsAName: [409, 'Passkeys need an address with a name. This one is a number: open Markbook by its name, and try again.'],
  tooMany: [409, `You have ${perPerson} passkeys, and that is the most. Remove one first.`],
  known: [409, 'This passkey is set up already.'],
  refused: [400, 'That passkey was not accepted. Please try again, or sign in another way.'],
  usedElsewhere: [
    400,
    'This passkey has been used by another device since: there is a copy of it. Remove it, and tell an administrator of your school.',
  ],
})

const HERE = 'Passkeys of this server alone, each for the name by which the server was reached when it was made.'

export const passkeys = {
  list: endpoint('GET /api/auth/passkeys', 'session', 'List the own passkeys, oldest first', { notes: HERE, reply: z.array(Passkey) }),
  begin: endpoint('POST /api/auth/passkeys/begin', 'session', 'Begin to set up a passkey', {
    fresh: true,
    reply: PasskeyCreation,
    fails: ['passkeys.needs_a_name', 'passkeys.too_many'],
  }),
  add: endpoint('POST /api/auth/passkeys', 'session', 'Set up a passkey that was made for what `begin` answered', {
    fresh: true,
    status: 201,
    body: input({ name: Name, credential: NewCredential }),
    reply: Passkey,
    fails: ['passkeys.needs_a_name', 'passkeys.too_many', 'passkeys.known', 'passkeys.refused'],
  }),
  remove: endpoint('DELETE /api/auth/passkeys/:id', 'session', 'Remove one of the own passkeys', {
    fresh: true,
    reply: Done,
    fails: ['auth.last_second'],
  }),
  ask: endpoint('POST /api/auth/passkeys/ask', 'none', 'Begin to use a passkey, to sign in or, signed in, to show that it is oneself', {
    reply: PasskeyRequest,
    fails: ['passkeys.needs_a_name'],
  }),
  signIn: endpoint('POST /api/auth/passkeys/sign-in', 'none', 'Sign in with a passkey', {
    body: input({ credential: Assertion }),
    reply: auth.verifyOtp.reply,
    fails: ['passkeys.needs_a_name', 'passkeys.refused', 'passkeys.used_elsewhere', 'others_laptop'],
  }),
  prove: endpoint('POST /api/auth/passkeys/proof', 'session', 'Show with a passkey that it is still oneself', {
    body: input({ credential: Assertion }),
    reply: auth.prove.reply,
    fails: ['passkeys.needs_a_name', 'passkeys.refused', 'passkeys.used_elsewhere'],
  }),
}
