import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { and, eq, isNull } from 'drizzle-orm'
import { incarnations } from '../../store/node.ts'
import { asSystem } from '../../store/tx.ts'
import type { CentralDisk } from '../../testing/central-disk.ts'
import { type TestClock, testClock } from '../../testing/clock.ts'
import { keptBy } from './accounts.ts'
import { AlteringLine } from './altering.ts'
import { type Chance, chanceOf } from './chance.ts'
import { brokenRules, sentBooks } from './checks.ts'
import { type Founded, founded } from './founding.ts'
import { Ledger, type Write } from './ledger.ts'
import { carrierOf, type LineFault, lineFaults, newWay } from './line.ts'
import { LyingLaptop } from './lying.ts'
import type { WorldNode } from './node.ts'
import { makeRound } from './round.ts'
import { BEGINNING, type Role, roleOf, stageFor } from './stage.ts'

/** What may go wrong, each a switch (promise 5). */
export const formerFaults = [
  ...lineFaults,
  'child crashes',
  'power goes between steps',
  'writer crashes',
  'clock wrong',
  'school restored',
  'laptop restored',
  'centre restored',
  'laptop cloned',
  'laptop meets the centre',
  'laptop revoked',
  'poison row',
] as const
/** Each has chances of its own, so that a world without it lives as it did before there was such a fault. */
export const newerFaults = ['a line that alters'] as const
/** No seed has them by itself: `--also` asks for them. */
const askedFaults = ['a laptop that lies', 'school restored alone'] as const
export const faults = [...formerFaults, ...newerFaults, ...askedFaults] as const
export type Fault = (typeof faults)[number]

/** `hasStructure`: people also make teaching sets and categories, by chances of their own, so that a world without them lives as it did before these. */
export type Options = {
  seed: number
  events: number
  faults: ReadonlySet<Fault>
  schools: number
  laptops: number
  hasStructure: boolean
  cluster?: string
}
export type Outcome = { trace: string[]; failures: string[] }

/** `unheard`: parents that have not yet told it that its disk was put back; of a centre those below it. */
export type Member = Role & { node: WorldNode; isRevoked: boolean; unheard: Set<string> }
/** `restored`: how many restores there had been. */
export type Backup = { folder: string; writes: number; restored: number }

/** The nodes of a world, how they meet, and what of their writes is owed to whom. */
export class Members {
  readonly trace: string[] = []
  readonly failures: string[] = []
  readonly ledger = new Ledger()
  readonly chance: Chance
  protected readonly clock: TestClock = testClock(BEGINNING)
  protected readonly way = newWay()
  protected readonly backups = new Map<string, Backup>()
  protected readonly restored: string[] = []
  protected readonly sent = new Map<string, Set<string>>()
  protected members: Member[] = []
  protected folder = ''
  protected disk: CentralDisk | null = null
  protected count = 0
  protected chaotic = true
  protected readonly altering: AlteringLine
  protected readonly structure: Chance
  protected readonly liar: LyingLaptop

  constructor(protected readonly options: Options) {
    this.chance = chanceOf(options.seed)
    this.structure = chanceOf(options.seed * 31 + 17)
    const tell = { say: (text: string) => this.say(text), fail: (text: string) => this.fail(text) }
    this.altering = new AlteringLine(chanceOf(options.seed * 31 + 13), () => this.members.map(({ node }) => node), tell)
    this.liar = new LyingLaptop(chanceOf(options.seed * 31 + 23), tell)
  }

  protected async begin(): Promise<void> {
    const { schools, laptops, seed } = this.options
    const names = ['centre', ...[1, 2, 3].slice(0, schools).map((each) => `school${each}`)]
    names.push(...['laptop1', 'laptop2', 'laptop3'].filter((name) => roleOf(name).school <= schools).slice(0, laptops))
    const stage = await stageFor(names, this.clock, `world ${seed}`, this.options.cluster)
    this.folder = stage.folder
    this.disk = stage.disk
    for (const [name, node] of stage.nodes) {
      this.members.push({ ...roleOf(name), node, isRevoked: false, unheard: new Set() })
      await node.open()
    }
    for (const { node, school } of this.members) for (const each of this.schoolsOf(school)) await this.ledger.begin(node, each.id)
    for (const member of this.members.filter(({ kind }) => kind !== 'centre')) await this.backUp(member)
    this.say(`${names.join(', ')}; ${[...this.options.faults].length} faults`)
  }

  protected async end(): Promise<void> {
    for (const { node } of this.members) {
      for (const error of node.errors) this.say(`error at ${node.name}: ${error instanceof Error ? error.stack : JSON.stringify(error)}`)
      await node.close().catch(() => {})
    }
    await this.disk?.drop()
    rmSync(this.folder, { recursive: true, force: true })
  }

  protected schoolsOf(number: number): Founded[] {
    return number > 0 ? [founded(number)] : [1, 2, 3].slice(0, this.options.schools).map(founded)
  }
  protected say = (what: string) => void this.trace.push(what)
  protected fail(what: string): void {
    this.failures.push(what)
    this.say(`✗ ${what}`)
  }
  protected readonly saw = (text: string) => (text.startsWith('·') ? this.say(text) : this.fail(text))
  protected has = (fault: Fault) => this.chaotic && this.options.faults.has(fault)
  protected readonly fresh = () => (this.count += 1)
  protected centre = () => (this.members[0] as Member).node

  protected async note(member: Member, school: Founded, what: string): Promise<readonly Write[]> {
    const written = await this.ledger.note(member.node, school.id)
    if (member.isRevoked) for (const write of written) write.forgiven = true
    this.say(
      `${member.name}: ${what}${written.map(({ table, row, unit, value }) => ` ${table}.${unit} ${row.slice(-6)}=${value.slice(0, 60)}`).join('')}`,
    )
    return written
  }

  protected async round(member: Member): Promise<void> {
    const direct = this.has('laptop meets the centre') && member.parents.length > 1 && this.chance.often(0.3)
    const name = direct ? (member.parents[1] as string) : (member.parents[0] as string)
    const parent = this.members.find((each) => each.name === name)?.node as WorldNode
    const crashes = this.has('child crashes')
    const { chance } = this
    const ends = { child: member.node, parent }
    const line = carrierOf({ ...ends, way: this.way, chance, saw: this.saw, fault: () => this.lineFault() })
    const { carry, ended } = this.has('a line that alters') ? this.altering.on(ends, line) : { carry: line, ended: async () => {} }
    const ending = await makeRound(member.node, parent, carry, {
      ...(this.has('power goes between steps') && chance.often(0.1) && { steps: chance.below(4) }),
      crash: () => (crashes && chance.often(0.05) ? chance.pick(['before commit', 'after commit'] as const) : null),
      tell: this.say,
    })
    await ended(ending)
    this.say(`${member.name} → ${name}: ${ending}`)
    if (ending === 'revoked' && !member.isRevoked) await this.lockedOut(member, parent)
    if (ending === 'whole') {
      member.unheard.delete(name)
      this.members.find((each) => each.name === name)?.unheard.delete(member.name)
    }
    if (ending === 'lost') this.fail(`${member.name} is not enrolled at ${name}`)
    for (const node of [member.node, parent]) await this.rulesAt(node, member.school)
  }

  /** Rightly so only where a copy of it, or what it was before its disk was put back, was revoked under the same enrolment. */
  protected async lockedOut(member: Member, parent: WorldNode): Promise<void> {
    const own = await member.node.store.read(asSystem(), incarnations)
    const peers = await parent.store.read(asSystem(), (tx) => tx.connection.db.select().from(tx.t.sync_peer))
    if (!peers.some(({ node_id, revoked_at }) => revoked_at !== null && own.includes(node_id)))
      return this.fail(`${parent.name} will not have ${member.name}`)
    await this.cutOff(member)
  }

  protected async cutOff(member: Member): Promise<void> {
    member.isRevoked = true
    for (const write of this.ledger.writes) if (write.node === member.name) write.orphaned = true
    await this.forgive(member.school)
    this.say(`${member.name} is revoked`)
  }

  protected lineFault(): LineFault | null {
    if (!this.chaotic || !this.chance.often(0.12)) return null
    const on = lineFaults.filter((fault) => this.options.faults.has(fault))
    return on.length > 0 ? this.chance.pick(on) : null
  }

  /** P3, and that no book is taken back that was sent. */
  protected async rulesAt(node: WorldNode, number: number): Promise<void> {
    for (const { id } of this.schoolsOf(number)) {
      for (const broken of await brokenRules(node, id)) this.fail(broken)
      const now = await sentBooks(node, id)
      const key = `${node.name} ${id}`
      for (const book of this.sent.get(key) ?? []) {
        if (!now.has(book) && !(await mayBeUnsent(node, id, book))) this.fail(`${node.name}: book ${book} was sent and is not any more`)
      }
      this.sent.set(key, now)
    }
  }

  /** Of what its author's disk has lost, or may not send any more, that which nobody else has who may still speak. */
  protected async forgive(number: number, keepers = this.members, of: (write: Write) => boolean = () => true): Promise<void> {
    const living = keepers.filter(({ isRevoked }) => !isRevoked).map(({ node }) => node)
    for (const { id } of this.schoolsOf(number)) {
      const isKept = await keptBy(living, id)
      for (const write of this.ledger.writes)
        if (write.orphaned && write.school === id && of(write) && !isKept(write)) write.forgiven = true
    }
  }

  protected async backUp({ name, node }: Member): Promise<void> {
    const folder = join(this.folder, `backup-${name}`)
    await node.copyTo(folder)
    this.backups.set(name, { folder, writes: this.ledger.writes.length, restored: this.restored.length })
    this.say(`${name} is backed up`)
  }
}

/** It is not here any more, or its sending was refused, and is on the list. */
const mayBeUnsent = (node: WorldNode, school: string, book: string): Promise<boolean> =>
  node.store.read(asSystem(), async (tx) => {
    const { sync_refused } = tx.t
    const ofSending = and(eq(sync_refused.row_id, book), eq(sync_refused.unit, 'status'), isNull(sync_refused.peer_id))
    const refused = await tx.db.$count(sync_refused, ofSending)
    return refused > 0 || !(await tx.find('report_book', school, book))
  })
