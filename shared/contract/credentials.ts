import { z } from 'zod'
import { limits } from '../limits.ts'
import { say } from './scalars.ts'

const { fieldLength } = limits.passkeys

/** Bytes as WebAuthn encodes them in JSON: base64url. */
const Bytes = z
  .string(say('must be base64url'))
  .max(fieldLength, `must have at most ${fieldLength} characters`)
  .regex(/^[A-Za-z0-9_-]*$/, 'must be base64url')

/** `PublicKeyCredential.toJSON()` of a browser; other fields are ignored. */
const credential = <S extends z.ZodRawShape>(response: S) =>
  z.object({ id: Bytes, rawId: Bytes, type: z.literal('public-key'), response: z.object(response) })
export const NewCredential = credential({
  clientDataJSON: Bytes,
  attestationObject: Bytes,
  transports: z.array(z.string().max(20)).max(10).optional(),
})
export const Assertion = credential({ clientDataJSON: Bytes, authenticatorData: Bytes, signature: Bytes, userHandle: Bytes.nullish() })
export type Assertion = z.infer<typeof Assertion>
export type NewCredential = z.infer<typeof NewCredential>
