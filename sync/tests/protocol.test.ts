import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { z } from 'zod'
import * as files from '../protocol/files.ts'
import * as messages from '../protocol/messages.ts'

const { OLDEST_PROTOCOL, PROTOCOL } = messages

/** Every message of the protocol that the program speaks, and what a digest of its schema was when the number was given. */
const KNOWN = {
  protocol: 4,
  messages: {
    Answered: 'cea49f09f93b603e',
    Challenge: 'e4bb1135e4f29502',
    FileAnswer: '09fe346e65c5f4a2',
    FileAnswers: '728f3b2a2e016818',
    FileAsk: 'd61f70642ed83e2c',
    FileTable: '9caac97fa9419ca6',
    Hello: 'b71bb7d7bca489b3',
    Join: '1d2f8ae811e4b2a2',
    Joined: 'b2662d22830ac867',
    KnownRowsQuery: 'b83354f60f41ab36',
    Nothing: '93ab7499dc3c616f',
    Page: 'be451b4dd1653f41',
    Pull: 'b8995fef3cbc7bc6',
    Push: '5370f30422edc215',
    Pushed: '8edc00584cda9b0a',
    Renew: 'f886f28092803959',
    Renewed: '34470f0f1e573cf4',
    RowAnswer: '2c5312e233cd52c4',
    TableDigest: 'c3490b2a8c56b1ef',
    UnknownRows: '8a1d0f4ee527df44',
    Verified: '3e8d504bba0fb230',
    Welcome: 'b43799f1ca924461',
    Wiped: '237f79e7e1176395',
  },
}

const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, own]) => [name, canonical(own)]),
  )
}
const digestOf = (schema: z.ZodType) =>
  createHash('sha256')
    .update(JSON.stringify(canonical(z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }))))
    .digest('hex')
    .slice(0, 16)

const WHAT_TO_DO = `A message between nodes is not what it was in protocol ${KNOWN.protocol}. Raise PROTOCOL in sync/protocol/messages.ts, say there in a
line what changed, decide whether OLDEST_PROTOCOL rises with it (then older children wait until they are updated), write the change into
sync/SPEC.md, run \`npm run vectors\`, and copy the number and the digests below into this test.`

test('a message between nodes changes only with the number of the protocol', () => {
  const now = Object.fromEntries(
    Object.entries({ ...messages, ...files })
      .filter(([, each]) => each instanceof z.ZodType)
      .map(([name, schema]) => [name, digestOf(schema as z.ZodType)])
      .sort(),
  )
  expect({ protocol: PROTOCOL, messages: now }, WHAT_TO_DO).toEqual(KNOWN)
})

test('a program speaks its own protocol', () => {
  expect(OLDEST_PROTOCOL).toBeLessThanOrEqual(PROTOCOL)
})
