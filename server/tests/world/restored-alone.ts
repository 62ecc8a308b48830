import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { canonical, pick } from '@markbook/sync/merge/state'
import { EXISTENCE } from '@markbook/sync/versions'
import { eq } from 'drizzle-orm'
import { rowsWhere } from '../../store/replica/states.ts'
import { asSystem } from '../../store/tx.ts'
import { conflictsAt, missingWrites } from './accounts.ts'
import { type Chance, chanceOf } from './chance.ts'
import { founded } from './founding.ts'
import { keyOf, type Write } from './ledger.ts'
import type { Member, Options } from './members.ts'
import type { WorldNode } from './node.ts'
import { NodeFaults } from './node-faults.ts'
import { makeRound } from './round.ts'
import { plainCarrier } from './stage.ts'

/** How often in a hundred events, and for how many of its own rounds the school then has no line to the centre. */
const OFTEN = 0.015
const ROUNDS = 6
/** What teachers type. */
const MARKED: readonly Replicated[] = ['grade', 'attendance_mark']

/** A write that a laptop shows, with the entry of its history. */
type Owed = { write: Write; said: string }

/**
 * A school whose database is put back from a backup while it has no line to the centre, and whose laptops have read what it has lost. Its
 * oracle: once each of them has met it, every mark that one of them shows is there, or is a conflict there or at one of them, or refused,
 * with who wrote it and when; the centre takes no part in that.
 */
export class RestoredAlone extends NodeFaults {
  private readonly alone: Chance
  /** Of schools, how many of their rounds find no line. */
  private readonly cut = new Map<string, number>()

  constructor(options: Options) {
    super(options)
    this.alone = chanceOf(options.seed * 31 + 19)
  }

  protected async restoreAlone(): Promise<void> {
    if (!this.has('school restored alone') || !this.alone.often(OFTEN)) return
    const able = this.members.filter((each) => each.kind === 'school' && this.mayBePutBack(each) && this.laptopsOf(each).length > 0)
    if (able.length === 0) return
    const school = this.alone.pick(able)
    this.cut.set(school.name, 1 + this.alone.below(ROUNDS))
    const laptops = this.laptopsOf(school)
    // Each of them has read another part.
    for (const laptop of laptops) if (this.alone.often(0.7)) await this.meetSchool(laptop, school)
    const owed = await this.owedBy(laptops, school)
    await this.restore(school)
    for (let time = 0; time < 2; time += 1) for (const laptop of laptops) await this.meetSchool(laptop, school)
    await this.checkBack(school, laptops, owed)
    this.say(`${school.name} was restored alone, and ${owed.length} marks came back`)
  }

  /** There is no line to its parent. */
  protected override async round(member: Member): Promise<void> {
    const left = this.cut.get(member.name) ?? 0
    if (!this.chaotic || left === 0) return super.round(member)
    this.cut.set(member.name, left - 1)
    this.say(`${member.name} has no line to its parent`)
  }

  private laptopsOf = ({ name }: Member): Member[] =>
    this.members.filter(
      ({ kind, isRevoked, parents, unheard }) => kind === 'laptop' && !isRevoked && parents[0] === name && unheard.size === 0,
    )

  private async meetSchool(laptop: Member, school: Member): Promise<void> {
    const ending = await makeRound(laptop.node, school.node, plainCarrier(laptop.node, school.node), { tell: this.say })
    this.say(`${laptop.name} → ${school.name}: ${ending}`)
    if (ending === 'revoked') await this.lockedOut(laptop, school.node)
    for (const node of [laptop.node, school.node]) await this.rulesAt(node, school.school)
  }

  /** What the school had taken, or the laptop itself has written, and the laptop can prove. */
  private async owedBy(laptops: readonly Member[], school: Member): Promise<Owed[]> {
    const { id } = founded(school.school)
    const stoodThere = await shownAt(school.node, id)
    const owed = new Map<Write, Owed>()
    for (const { name, node } of laptops) {
      const shows = await shownAt(node, id)
      const past = await pastAt(node, id)
      for (const write of this.ledger.writes) {
        if (write.school !== id || write.forgiven || !MARKED.includes(write.table) || write.unit === EXISTENCE || !shows(write)) continue
        const said = past.get(write.entry)
        if (said !== undefined && (write.node === name || stoodThere(write))) owed.set(write, { write, said })
      }
    }
    return [...owed.values()]
  }

  private async checkBack(school: Member, laptops: readonly Member[], owed: readonly Owed[]): Promise<void> {
    const { id } = founded(school.school)
    const nodes = [school, ...laptops].map(({ node }) => node)
    const missing = new Set(await missingWrites(this.ledger, school.node, nodes, [id]))
    // A record that the centre made comes with the line to it: nobody takes one from a laptop.
    for (const { node } of laptops) {
      const isInConflict = await conflictsAt(node, id)
      for (const write of missing) if (isInConflict(write)) missing.delete(write)
    }
    const shows = await shownAt(school.node, id)
    const past = await pastAt(school.node, id)
    for (const { write, said } of owed) {
      if (missing.has(write)) this.fail(`${school.name}, restored alone, has not got back ${keyOf(write)} = ${write.value}`)
      else if (shows(write) && past.get(write.entry) !== said)
        this.fail(`${school.name}, restored alone, has ${keyOf(write)} without its history: ${said} ≠ ${past.get(write.entry)}`)
    }
  }
}

async function shownAt(node: WorldNode, school: string): Promise<(write: Write) => boolean> {
  const rows = await node.store.read(asSystem(), async (tx) => {
    const all: [string, Record<string, unknown>][] = []
    for (const table of MARKED) for (const row of await rowsWhere(tx, table, school)) all.push([`${table} ${row.id}`, row])
    return new Map(all)
  })
  return ({ table, row, unit, value }) => {
    const stands = rows.get(`${table} ${row}`)
    return stands !== undefined && canonical(pick(stands, descriptions[table].units[unit] ?? [])) === value
  }
}

/** By the ids of entries, who wrote what and when. */
async function pastAt({ store }: WorldNode, school: string): Promise<Map<string, string>> {
  const rows = await store.read(asSystem(), (tx) => tx.connection.db.select().from(tx.t.history).where(eq(tx.t.history.school_id, school)))
  return new Map(rows.map(({ id, at, actor_id, row_id, changes }) => [id, canonical([at, actor_id, row_id, changes])]))
}
