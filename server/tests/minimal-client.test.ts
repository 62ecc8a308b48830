import { entriesOf, History } from '@markbook/sync/protocol/entries'
import { unpackRows } from '@markbook/sync/protocol/page'
import { Sheet } from '@markbook/sync/protocol/sheet'
import { describe, expect, test } from 'vitest'
import * as client from '../../examples/minimal-client/protocol.mjs'
import { signedHistory } from '../testing/vectors/history.ts'
import { keysAndSignatures } from '../testing/vectors/keys.ts'
import { sheets } from '../testing/vectors/merging.ts'

describe('the small client, which imports nothing of ours, says of the examples what the program says', () => {
  const { code, signatures } = keysAndSignatures()

  test('what follows from a code, and what is signed', () => {
    for (const typed of code.typed) expect(client.keysOfCode(typed)).toMatchObject({ public: code.public_key, invitation: code.invitation })
    const { request, reply, join_proof } = signatures
    expect(client.requestText({ ...request }).toString()).toBe(request.text)
    expect(client.replyText({ ...reply }).toString()).toBe(reply.text)
    expect(client.proofOfJoining({ ...reply }, client.keysOfCode(code.typed[0]))).toBe(join_proof.proof)
  })

  test('sheets', () => {
    const made = JSON.parse(JSON.stringify(sheets())) as ReturnType<typeof sheets>
    const states = made.rows.map(({ state }) => state)
    expect(made.sheets.flatMap((sheet) => client.readSheet(sheet))).toEqual(states)
    const [form] = made.sheets as [Sheet]
    const { rows, malformed } = unpackRows([Sheet.parse(client.writeSheet('grade', form, states))])
    expect([rows.map(({ state }) => state), malformed]).toEqual([states, []])
  })

  test('the chain, the digests and the proofs of the history', () => {
    const { seed, public_key } = signatures.signer
    const secret = { kty: 'OKP', crv: 'Ed25519', x: public_key, d: seed }
    for (const { entries, chain, digests, school, proof } of signedHistory()) {
      expect(client.headAfter(chain.before, entries)).toBe(chain.head)
      expect(entries.map(client.digestOf)).toEqual(digests)
      expect(client.proofOf(school, entries, secret)).toBe(proof)
      expect(entriesOf(History.parse(client.writeHistory(entries)))).toEqual(entries)
    }
  })
})
