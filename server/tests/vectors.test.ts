import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { textToChanges } from '@markbook/shared/tables/changes'
import { SCHEMA_VERSION } from '@markbook/shared/tables/schema-version'
import { descriptions } from '@markbook/shared/tables/tables'
import { isWriteIn, parsedDetail } from '@markbook/sync/journal'
import type { HistoryEntry } from '@markbook/sync/protocol/entries'
import { beforeAll, describe, expect, test } from 'vitest'
import { conversation } from '../testing/vectors/conversation.ts'
import { errors } from '../testing/vectors/declared.ts'
import { signedHistory } from '../testing/vectors/history.ts'
import { makers, toText } from '../testing/vectors/vectors.ts'

/**
 * The examples that other programs are written by (sync/SPEC.md). Where the code says otherwise on purpose, `npm run vectors` writes them
 * anew; whether the protocol is still the same is then for `sync/tests/protocol.test.ts`, and for who reads the difference.
 */
test.each(Object.keys(makers))('sync/vectors/%s.json is what the program does', async (name) => {
  const made = await makers[name]?.()
  await expect(`${toText(made)}\n`).toMatchFileSnapshot(`../../sync/vectors/${name}.json`)
})

describe('the specification', () => {
  const spec = readFileSync(join(import.meta.dirname, '..', '..', 'sync', 'SPEC.md'), 'utf8')
  let said: Awaited<ReturnType<typeof conversation>>['said']
  beforeAll(async () => {
    ;({ said } = await conversation())
  })

  test('names every refusal, every table, every path that was asked, and every file of examples', () => {
    const paths = [...new Set(said.map(({ request }) => request.path))]
    expect(paths).toHaveLength(9)
    const codes = errors().map(({ code }) => code)
    const files = Object.keys(makers).map((name) => `${name}.json`)
    const named = [...codes, ...Object.keys(descriptions), ...paths, ...files]
    expect(named.filter((name) => !spec.includes(`\`${name}\``))).toEqual([])
  })

  test('shows entries that say every write of the states beside them', () => {
    const lives = signedHistory().filter(({ state }) => state)
    expect(lives.map(({ entries }) => entries[0]?.action)).toEqual(['create', 'update', 'update', 'delete', 'create'])
    for (const { entries, state } of lives) {
      const [entry] = entries as [HistoryEntry]
      const { units, alive, values } = state as NonNullable<typeof state>
      const written = Object.keys(units).filter((unit) => units[unit]?.[1] === entry.node_seq)
      const changes = textToChanges(entry.changes)
      const told = { ...entry, at: Date.parse(entry.at), changes, detail: entry.detail === null ? null : parsedDetail(entry.detail) }
      const claimed = { state: { id: entry.row_id, values, units, alive }, highest: undefined }
      const said = written.filter((unit) => isWriteIn('grade', told, { ...claimed, unit }))
      expect(said).toEqual(written)
      expect(written.length).toBeGreaterThan(0)
    }
  })

  test('shows messages that were really said, and texts that were really signed', () => {
    const shown = [...spec.matchAll(/^```json\n(.*?)^```$/gms)].map(([, text]) => String(text)).filter((text) => !text.includes('…'))
    const bodies = new Set(said.flatMap(({ request, reply }) => [request.body, reply.body]).map((body) => JSON.stringify(JSON.parse(body))))
    expect(shown.length).toBeGreaterThan(5)
    // The number of the schema rises with every new column, and means nothing in an example.
    const now = (text: string) => text.replace(/"schema":\d+/, `"schema":${SCHEMA_VERSION}`)
    for (const text of shown) expect(bodies).toContain(JSON.stringify(JSON.parse(now(text))))
    const signed = [...spec.matchAll(/^```\n(markbook-.*?)\n```$/gms)].map(([, text]) => text)
    const texts = [...said.flatMap(({ request, reply }) => [request.signs, reply.signs]), ...signedHistory().map(({ text }) => text)]
    expect(signed).toHaveLength(3)
    for (const text of signed) expect(texts).toContain(text)
  })
})
