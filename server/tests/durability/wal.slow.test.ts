import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@markbook/shared/clock'
import { idSource } from '@markbook/shared/ids'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { times } from '../../testing/long.ts'
import { buildProgram, endPrograms, startProgram } from '../../testing/program.ts'
import { Ledger } from './ledger.ts'
import { type Marking, nextBulk, openAt, prepareMarking, settingsOf } from './marking.ts'
import { sendBulk } from './teacher.ts'
import { type Wal, walOf } from './wal.ts'

const newId = idSource(systemClock.now, (size) => randomBytes(size))
const FILE = 'markbook.sqlite'
const onSqlite = process.env['TEST_DATABASE'] === 'sqlite'

let scratch: string
let marking: Marking
beforeAll(() => {
  if (onSqlite) buildProgram()
})
afterAll(endPrograms)

/** What a server left that was cut off before its log was folded into the database. */
type Cut = { folder: string; ledger: Ledger; wal: Wal; bulks: number }

/** `rounds`: how often the log has begun again at its beginning, over the frames of the round before. */
async function cutInRound(rounds: number, bulks: number): Promise<Cut> {
  const folder = join(scratch, 'written')
  const store = await openAt({ folder }, newId)
  marking = await prepareMarking(store)
  const ledger = await Ledger.of(store)
  await store.close()
  const server = await startProgram({ env: settingsOf({ folder }, folder) })
  const agent = new Agent({ keepAlive: true })
  const roundOf = () => walOf(readFileSync(join(folder, `${FILE}-wal`))).round
  const first = roundOf()
  for (let inRound = 0; inRound < bulks; inRound += roundOf() - first === rounds ? 1 : 0) {
    expect((await sendBulk(marking, ledger, { port: server?.port ?? 0, agent }, nextBulk(marking, { size: 6 }))).status).toBe(200)
  }
  agent.destroy()
  await server?.cut()
  return { folder, ledger, bulks: ledger.acknowledged.size, wal: walOf(readFileSync(join(folder, `${FILE}-wal`))) }
}

type Damage = { how: 'cut' | 'flip'; at: number; bit: number }

/** What comes through: what had been folded in, and every transaction of the log that ended before the damage. */
const wholeBefore = ({ wal, bulks }: Cut, { at }: Damage) => Math.max(0, bulks - wal.commitEnds.filter((end) => end > at).length)

function damagedBy({ bytes }: Wal, { how, at, bit }: Damage): Buffer {
  if (how === 'cut') return bytes.subarray(0, at)
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] as number) ^ (1 << bit)
  return copy
}

/** `staleIndex`: the index of the log outlived it, as it may on a disk that lost only some of its writes. */
function copyWith({ folder: written, wal }: Cut, damage: Damage, staleIndex: boolean): string {
  const folder = join(scratch, 'damaged')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  copyFileSync(join(written, FILE), join(folder, FILE))
  writeFileSync(join(folder, `${FILE}-wal`), damagedBy(wal, damage))
  if (staleIndex) copyFileSync(join(written, `${FILE}-shm`), join(folder, `${FILE}-shm`))
  return folder
}

/** Places all over the log, of which every third is at an edge: of its header, of a frame, of a transaction. */
function places({ bytes, frame, commitEnds }: Wal, count: number): Damage[] {
  const anywhere = (end: number) => Math.floor(Math.random() * end)
  const edges = [
    () => anywhere(32),
    () => 32 + anywhere(bytes.length / frame - 1) * frame + anywhere(24),
    () => (commitEnds[anywhere(commitEnds.length)] as number) - 1 + anywhere(3),
  ]
  return Array.from({ length: count }, (_, index) => {
    const edge = edges[(index / 3) % edges.length]
    // Behind the last transaction a log that was begun again has much of the round before: chance alone would mostly hit that.
    const end = index % 2 === 0 ? bytes.length : (commitEnds.at(-1) as number)
    const inTurn = Math.floor(((index + Math.random()) / count) * end)
    const at = Math.min(edge ? edge() : inTurn, bytes.length - 1)
    return { how: Math.random() < 0.5 ? 'cut' : 'flip', at, bit: anywhere(8) }
  })
}

describe.runIf(onSqlite).each([
  { what: 'in its first round', rounds: 0 },
  { what: 'that was folded in and begun again', rounds: 1 },
])('a damaged write-ahead log $what', ({ rounds }) => {
  const count = times(60, 600)
  let cut: Cut
  beforeAll(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'markbook-wal-'))
    cut = await cutInRound(rounds, 20)
  }, 120_000)
  afterAll(() => rmSync(scratch, { recursive: true, force: true }))

  test(`cut or bit-flipped at ${count} places: always the transactions before the damage, each whole`, { timeout: 600_000 }, async () => {
    const began = performance.now()
    const kept = new Set<number>()
    for (const [index, damage] of places(cut.wal, count).entries()) {
      const folder = copyWith(cut, damage, index % 3 === 0)
      const copy = cut.ledger.forCopy()
      const store = await openAt({ folder }, newId)
      await copy.check(store).finally(() => store.close())
      const file = new Database(join(folder, FILE), { readonly: true })
      expect(file.pragma('integrity_check', { simple: true })).toBe('ok')
      file.close()
      expect({ damage, names: copy.names }).toEqual({ damage, names: [...cut.ledger.acknowledged].slice(0, wholeBefore(cut, damage)) })
      kept.add(copy.names.length)
    }
    const { bytes, commitEnds } = cut.wal
    console.log(
      `A log of ${bytes.length} bytes with ${commitEnds.length} transactions, damaged at ${count} places in ${Math.round((performance.now() - began) / 1_000)} s: ${kept.size} different prefixes of ${cut.bulks} bulks.`,
    )
    expect(commitEnds.length).toBeGreaterThanOrEqual(20)
    expect(kept.size).toBeGreaterThan(10)
  })

  test.each(['cut', 'flip'] as const)('the server starts on it and goes on marking: %s', async (how) => {
    const damage = { how, at: cut.wal.commitEnds[Math.floor(cut.wal.commitEnds.length / 2)] as number, bit: 3 }
    const folder = copyWith(cut, damage, true)
    const copy = cut.ledger.forCopy()
    const server = await startProgram({ env: settingsOf({ folder }, folder) })
    expect((await sendBulk(marking, copy, { port: server?.port ?? 0 })).status).toBe(200)
    await endPrograms()
    const store = await openAt({ folder }, newId)
    await copy.check(store).finally(() => store.close())
    expect(copy.names).toHaveLength(wholeBefore(cut, damage) + 1)
  })
})
