import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { incarnations } from '../../store/node.ts'
import { asSystem } from '../../store/tx.ts'
import type { CentralDisk } from '../../testing/central-disk.ts'
import { type TestClock, testClock } from '../../testing/clock.ts'
import { keptBy, missingWrites, refusedAt } from './accounts.ts'
import { type Chance, chanceOf } from './chance.ts'
import { brokenRules, contentsOf, differences, scopeAt, sentBooks } from './checks.ts'
import { doDeed, ofTeachers, weights } from './deeds.ts'
import { type Founded, founded } from './founding.ts'
import { heldAt } from './held.ts'
import { GONE, keyOf, Ledger, type Write } from './ledger.ts'
import { carrierOf, type LineFault, lineFaults, newWay } from './line.ts'
import { Crash, type WorldNode } from './node.ts'
import { requests, requestWeights } from './requests.ts'
import { enrolmentAt, makeRound } from './round.ts'
import { BEGINNING, joinUnder, plainCarrier, type Role, roleOf, stageFor } from './stage.ts'

/** Everything that may go wrong, each a switch (promise 5). */
export const faults = [
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
export type Fault = (typeof faults)[number]

export type Options = { seed: number; events: number; faults: ReadonlySet<Fault>; schools: number; laptops: number; cluster?: string }
export type Outcome = { trace: string[]; failures: string[] }

/** `unheard`: parents that have not yet told it that its disk was put back. */
type Member = Role & { node: WorldNode; isRevoked: boolean; unheard: Set<string> }
/** `restored`: how many restores there had been. */
type Backup = { folder: string; writes: number; restored: number }

export class World {
  readonly trace: string[] = []
  readonly failures: string[] = []
  readonly ledger = new Ledger()
  readonly chance: Chance
  private readonly clock: TestClock = testClock(BEGINNING)
  private readonly way = newWay()
  private readonly backups = new Map<string, Backup>()
  private readonly restored: string[] = []
  private readonly sent = new Map<string, Set<string>>()
  private members: Member[] = []
  private folder = ''
  private disk: CentralDisk | null = null
  private count = 0
  private chaotic = true

  constructor(private readonly options: Options) {
    this.chance = chanceOf(options.seed)
  }

  /** Phases chaos, heal, quiesce, check, resume, check again. */
  async live(): Promise<Outcome> {
    try {
      await this.begin()
      for (const part of [0.7, 0.3]) {
        this.chaotic = true
        for (let left = Math.round(this.options.events * part); left > 0; left -= 1) await this.happen()
        await this.heal()
        await this.quiesce()
        await this.check()
        if (this.failures.length > 0) break
      }
    } catch (error) {
      this.fail(`thrown: ${error instanceof Error ? error.stack : String(error)}`)
    } finally {
      await this.end()
    }
    return { trace: this.trace, failures: this.failures }
  }

  private async begin(): Promise<void> {
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

  private async end(): Promise<void> {
    for (const { node } of this.members) {
      for (const error of node.errors) this.say(`error at ${node.name}: ${error instanceof Error ? error.stack : JSON.stringify(error)}`)
      await node.close().catch(() => {})
    }
    await this.disk?.drop()
    rmSync(this.folder, { recursive: true, force: true })
  }

  private schoolsOf(number: number): Founded[] {
    return number > 0 ? [founded(number)] : [1, 2, 3].slice(0, this.options.schools).map(founded)
  }
  private say = (what: string) => void this.trace.push(what)
  private fail(what: string): void {
    this.failures.push(what)
    this.say(`✗ ${what}`)
  }
  private readonly saw = (text: string) => (text.startsWith('·') ? this.say(text) : this.fail(text))
  private has = (fault: Fault) => this.chaotic && this.options.faults.has(fault)
  private readonly fresh = () => (this.count += 1)
  private centre = () => (this.members[0] as Member).node

  private async happen(): Promise<void> {
    this.clock.advance(1_000 + this.chance.below(600_000))
    const kind = this.chance.weighted({ deed: 60, request: 10, round: 24, fault: 6 })
    if (kind === 'deed') await this.deed()
    else if (kind === 'request') await this.request()
    else if (kind === 'round') await this.round(this.chance.pick(this.members.filter((each) => each.kind !== 'centre')))
    else await this.fault()
  }

  /** Who does something where: on a laptop its user alone. */
  private actorAt({ user }: Member, school: Founded, teacher: boolean): string {
    return user ?? this.chance.pick(teacher ? [...school.teachers, ...school.admins] : school.admins)
  }

  private async deed(): Promise<void> {
    const member = this.chance.pick(this.members)
    const school = this.chance.pick(this.schoolsOf(member.school))
    let name = this.chance.weighted(weights)
    const isTeachers = member.user !== null && school.teachers.includes(member.user)
    if (isTeachers && this.chance.often(0.9)) name = this.chance.pick(ofTeachers)
    const actor = this.actorAt(member, school, ofTeachers.includes(name))
    if (this.has('writer crashes') && this.chance.often(0.03)) member.node.crash = this.chance.pick(['before commit', 'after commit'])
    const cut = member.node.crash
    const did = await doDeed(member.node, name, { school, chance: this.chance, fresh: this.fresh, actor }).catch(async (error: unknown) => {
      if (!(error instanceof Crash)) throw error
      await member.node.restart()
      return true
    })
    await this.note(member, school, `${name}${cut ? ` (crash ${cut})` : ''}${did ? '' : ' (refused)'}`)
  }

  private async request(): Promise<void> {
    const member = this.chance.pick(this.members)
    const school = this.chance.pick(this.schoolsOf(member.school))
    const name = this.chance.weighted(requestWeights)
    const actor = this.actorAt(member, school, true)
    const reply = await requests[name](member.node, { school, chance: this.chance, fresh: this.fresh, actor })
    if (reply && reply.status >= 500) this.fail(`${name} at ${member.name} answered ${reply.status} ${JSON.stringify(reply.body)}`)
    await this.note(member, school, `${name} → ${reply?.status ?? 'nothing to do'}`)
  }

  private async note(member: Member, school: Founded, what: string): Promise<void> {
    const written = await this.ledger.note(member.node, school.id)
    if (member.isRevoked) for (const write of written) write.forgiven = true
    this.say(
      `${member.name}: ${what}${written.map(({ table, row, unit, value }) => ` ${table}.${unit} ${row.slice(-6)}=${value.slice(0, 60)}`).join('')}`,
    )
  }

  private async round(member: Member): Promise<void> {
    const direct = this.has('laptop meets the centre') && member.parents.length > 1 && this.chance.often(0.3)
    const name = direct ? (member.parents[1] as string) : (member.parents[0] as string)
    const parent = this.members.find((each) => each.name === name)?.node as WorldNode
    const crashes = this.has('child crashes')
    const { chance } = this
    const carry = carrierOf({ child: member.node, parent, way: this.way, chance, saw: this.saw, fault: () => this.lineFault() })
    const ending = await makeRound(member.node, parent, carry, {
      ...(this.has('power goes between steps') && chance.often(0.1) && { steps: chance.below(4) }),
      crash: () => (crashes && chance.often(0.05) ? chance.pick(['before commit', 'after commit'] as const) : null),
      tell: this.say,
    })
    this.say(`${member.name} → ${name}: ${ending}`)
    if (ending === 'revoked' && !member.isRevoked) await this.lockedOut(member, parent)
    if (ending === 'whole') member.unheard.delete(name)
    if (ending === 'lost') this.fail(`${member.name} is not enrolled at ${name}`)
    for (const node of [member.node, parent]) await this.rulesAt(node, member.school)
  }

  /** Rightly so only where a copy of it, or what it was before its disk was put back, was revoked under the same enrolment. */
  private async lockedOut(member: Member, parent: WorldNode): Promise<void> {
    const own = await member.node.store.read(asSystem(), incarnations)
    const peers = await parent.store.read(asSystem(), (tx) => tx.line.db.select().from(tx.t.sync_peer))
    if (!peers.some(({ node_id, revoked_at }) => revoked_at !== null && own.includes(node_id)))
      return this.fail(`${parent.name} will not have ${member.name}`)
    await this.cutOff(member)
  }

  private async cutOff(member: Member): Promise<void> {
    member.isRevoked = true
    for (const write of this.ledger.writes) if (write.node === member.name) write.orphaned = true
    await this.forgive(member.school)
    this.say(`${member.name} is revoked`)
  }

  private lineFault(): LineFault | null {
    if (!this.chaotic || !this.chance.often(0.12)) return null
    const on = lineFaults.filter((fault) => this.options.faults.has(fault))
    return on.length > 0 ? this.chance.pick(on) : null
  }

  /** P3, and that no book is taken back that was sent. */
  private async rulesAt(node: WorldNode, number: number): Promise<void> {
    for (const { id } of this.schoolsOf(number)) {
      for (const broken of await brokenRules(node, id)) this.fail(broken)
      const now = await sentBooks(node, id)
      const key = `${node.name} ${id}`
      for (const book of this.sent.get(key) ?? []) {
        const isThere = now.has(book) || !(await node.store.read(asSystem(), (tx) => tx.find('report_book', id, book)))
        if (!isThere) this.fail(`${node.name}: book ${book} was sent and is not any more`)
      }
      this.sent.set(key, now)
    }
  }

  private async fault(): Promise<void> {
    const { chance } = this
    const own = (
      ['clock wrong', 'school restored', 'laptop restored', 'laptop cloned', 'laptop revoked', 'poison row', 'centre restored'] as const
    ).filter(this.has)
    const backedUp = this.members.filter(({ isRevoked }) => !isRevoked)
    if (chance.often(0.4)) return this.backUp(chance.pick(backedUp))
    if (this.way.late.length > 0 && chance.often(0.6)) return this.deliverLate()
    if (own.length === 0) return
    const what = chance.pick(own)
    const laptops = this.members.filter(({ kind, isRevoked }) => kind === 'laptop' && !isRevoked)
    const kind = what === 'school restored' ? 'school' : what === 'centre restored' ? 'centre' : 'laptop'
    if (what === 'clock wrong') return this.setClock(chance.pick(this.members))
    if (what === 'poison row') return this.poison(chance.pick(this.members.filter((each) => each.kind === 'school')))
    if (what.endsWith('restored')) {
      const able = this.members.filter(
        (each) =>
          each.kind === kind &&
          this.backups.has(each.name) &&
          !each.isRevoked &&
          !this.members.some(({ unheard }) => unheard.has(each.name)),
      )
      return able.length > 0 && chance.often(0.4) ? this.restore(chance.pick(able)) : undefined
    }
    if (laptops.length === 0 || !chance.often(0.3)) return
    if (what === 'laptop cloned') return this.clone(chance.pick(laptops))
    return this.revoke(chance.pick(laptops))
  }

  private setClock({ node }: Member): void {
    const years = this.chance.pick([-3, -1, 0, 1, 74])
    node.skew = years * 365 * 86_400_000
    this.say(`${node.name}'s clock is ${years} years wrong`)
  }

  private async backUp({ name, node }: Member): Promise<void> {
    const folder = join(this.folder, `backup-${name}`)
    await node.copyTo(folder)
    this.backups.set(name, { folder, writes: this.ledger.writes.length, restored: this.restored.length })
    this.say(`${name} is backed up`)
  }

  /** What was written since the backup and is nowhere else is gone with the disk; all the rest must come back. */
  private async restore(member: Member): Promise<void> {
    const { folder, writes } = this.backups.get(member.name) as Backup
    for (const write of this.ledger.writes.slice(writes)) if (write.node === member.name) write.orphaned = true
    const schools = this.schoolsOf(member.school).map(({ id }) => id)
    const was = new Map(await Promise.all(schools.map(async (id) => [id, await keptBy([member.node], id)] as const)))
    const refused = new Map(await Promise.all(schools.map(async (id) => [id, await refusedAt(member.node, id)] as const)))
    await member.node.putBack(folder)
    for (const write of this.ledger.writes) if (was.get(write.school)?.(write)) write.orphaned = true
    // Its list of refused writes goes with the disk, and so does what it had heard of them.
    const others = this.members.filter((each) => each !== member)
    for (const id of schools) await this.forgive(member.school, others, refused.get(id))
    await this.forgive(member.school)
    const isRaw = this.mayGoOn(member) && this.chance.often(0.5)
    member.unheard = new Set(isRaw ? member.parents : [])
    if (!isRaw) await member.node.store.renewNode()
    this.restored.push(member.name)
    for (const each of this.schoolsOf(member.school)) {
      await this.ledger.begin(member.node, each.id)
      this.sent.delete(`${member.name} ${each.id}`)
    }
    this.say(`${member.name} is restored${isRaw ? ', disk and all' : ''}`)
  }

  /** Put back disk and all, a database does not know that it was restored; only its parent can tell it, and not one that lost the same days (docs/decisions/0282, 0287). */
  private mayGoOn = ({ kind, name, parents }: Member) => {
    const since = this.restored.slice(this.backups.get(name)?.restored ?? 0)
    const canTell = !parents.some((parent) => since.includes(parent))
    return canTell && (kind === 'laptop' || (kind === 'school' && !this.members.some((each) => each.parents[0] === name)))
  }

  private async clone(member: Member): Promise<void> {
    const name = `${member.name}'${this.members.length}`
    const node = await member.node.clone(name)
    this.members.push({ ...member, name, node, unheard: new Set(member.unheard) })
    for (const each of this.schoolsOf(member.school)) await this.ledger.begin(node, each.id)
    this.say(`${name} is a clone of ${member.name}`)
  }

  /** At all its parents. What it had not sent by then stays with it. */
  private async revoke(member: Member): Promise<void> {
    const parents = this.members.filter(({ name }) => member.parents.includes(name)).map(({ node }) => node)
    for (const parent of parents) {
      const enrolment = await enrolmentAt(member.node, parent)
      await parent.store.write(asSystem(), async (tx) => {
        const { sync_peer } = tx.t
        if (enrolment) await tx.line.db.update(sync_peer).set({ revoked_at: tx.now }).where(eq(sync_peer.id, enrolment.id))
      })
    }
    await this.cutOff(member)
  }

  /** Of what its author's disk has lost, or may not send any more, that which nobody else has who may still speak. */
  private async forgive(number: number, keepers = this.members, of: (write: Write) => boolean = () => true): Promise<void> {
    const living = keepers.filter(({ isRevoked }) => !isRevoked).map(({ node }) => node)
    for (const { id } of this.schoolsOf(number)) {
      const isKept = await keptBy(living, id)
      for (const write of this.ledger.writes)
        if (write.orphaned && write.school === id && of(write) && !isKept(write)) write.forgiven = true
    }
  }

  /** A row that the parent's database will not have: nobody can write it through the application. */
  private async poison({ name, node, school: number }: Member): Promise<void> {
    const school = founded(number)
    await node.store.write(asSystem(school.admins[0]), async (tx) => {
      const [row] = await tx.line.db.select().from(tx.t.grade).where(eq(tx.t.grade.school_id, school.id))
      if (!row) return
      await tx.line.run('pragma ignore_check_constraints = on', [])
      await tx.update('grade', [{ before: row, patch: { score: -this.fresh() } }])
      await tx.line.run('pragma ignore_check_constraints = off', [])
    })
    await this.note(this.members.find((each) => each.name === name) as Member, school, 'a poison row')
  }

  private async deliverLate(): Promise<void> {
    const [late] = this.way.late.splice(this.chance.below(this.way.late.length), 1)
    if (!late) return
    const { status } = await late.to.app.fetch(late.request)
    this.say(`a late request comes to ${late.to.name}: ${status}`)
    if (status >= 500) this.fail(`${late.to.name} answered ${status} to a late request`)
  }

  private async heal(): Promise<void> {
    this.chaotic = false
    while (this.way.late.length > 0) await this.deliverLate()
    this.say('— healed')
  }

  private living = () => this.members.filter(({ isRevoked, kind }) => kind !== 'centre' && !isRevoked)

  /** P2: three rounds are enough, and a fourth changes nothing. */
  private async quiesce(): Promise<void> {
    const inOrder = [...this.living()].sort((a, b) => Number(a.kind === 'school') - Number(b.kind === 'school'))
    for (let round = 0; round < 3; round += 1) for (const member of inOrder) await this.round(member)
    const before = await this.feeds()
    for (const member of inOrder) await this.round(member)
    const after = await this.feeds()
    for (const [place, seq] of after)
      if (before.get(place) !== seq)
        this.fail(`${place} goes on changing after three rounds: ${await this.changedAfter(place, before.get(place) ?? 0)}`)
    this.say('— quiet')
  }

  private async feeds(): Promise<Map<string, number>> {
    const feeds = new Map<string, number>()
    for (const { name, node, school } of [...this.living(), this.members[0] as Member]) {
      for (const { id } of this.schoolsOf(school))
        feeds.set(`${name} ${id.slice(0, 8)}`, (await node.store.read(asSystem(), (tx) => tx.dialect.feedOf(tx.line, id))).seq)
    }
    return feeds
  }

  private async changedAfter(place: string, seq: number): Promise<string> {
    const [name, school] = place.split(' ') as [string, string]
    const { node } = this.members.find((each) => each.name === name) as Member
    const { id } = this.schoolsOf(0).find((each) => each.id.startsWith(school)) as Founded
    const entries = await node.store.read(asSystem(), (tx) =>
      tx.dialect.feedEntries(tx.line, id, { after: seq, upTo: Number.MAX_SAFE_INTEGER, limit: 5 }),
    )
    return entries.map(({ table_name, row_id }) => `${table_name} ${row_id}`).join(', ')
  }

  private async check(): Promise<void> {
    const schools = this.schoolsOf(0).map(({ id }) => id)
    const nodes = this.members.map(({ node }) => node)
    for (const write of await missingWrites(this.ledger, this.centre(), nodes, schools)) this.fail(`lost: ${wordsOf(write)}`)
    for (const member of this.living()) await this.compare(member)
    if (this.options.seed % 3 === 0) await this.freshCopy()
    this.say(`— checked, ${this.ledger.writes.length} writes`)
  }

  private async compare(member: Member): Promise<void> {
    const { id } = founded(member.school)
    const parent = this.members.find(({ name }) => name === member.parents[0])?.node as WorldNode
    const within = member.user === null ? undefined : await scopeAt(parent, id, member.user)
    const held = await this.heldAt([parent, member.node], id)
    const isShown = (table: string, row: string) => !held.has(`${table} ${row}`)
    const found = differences(await contentsOf(parent, id), await contentsOf(member.node, id), within)
    for (const each of found.filter((text) => isShown(...(text.split(/[ :]/, 2) as [string, string]))))
      this.fail(`${parent.name} and ${member.name} differ: ${each}`)
  }

  private async heldAt(nodes: readonly WorldNode[], school: string): Promise<Set<string>> {
    const { held, wrongly } = await heldAt(nodes, school)
    for (const what of wrongly) this.fail(what)
    return held
  }

  /** A new node that copies the school now holds what the centre holds. */
  private async freshCopy(): Promise<void> {
    const { id } = founded(1)
    const [stage] = await this.emptyNode()
    const centre = this.centre()
    await joinUnder(stage, centre, { kind: 'school', school: id, user: null })
    await makeRound(stage, centre, plainCarrier(stage, centre))
    const held = await this.heldAt([stage], id)
    for (const each of differences(await contentsOf(centre, id), await contentsOf(stage, id)))
      if (!held.has(each.split(/[:]/, 1)[0] as string)) this.fail(`a fresh copy differs: ${each}`)
    await stage.close()
  }

  private async emptyNode(): Promise<[WorldNode]> {
    const { WorldNode: Made } = await import('./node.ts')
    const name = `fresh${this.trace.length}`
    const node = new Made({ name, kind: 'school', folder: join(this.folder, name), clock: this.clock, seed: `world ${this.options.seed}` })
    await node.open()
    return [node]
  }
}

const wordsOf = (write: Write) =>
  `${keyOf(write)} = ${write.value === GONE ? 'deleted' : write.value.slice(0, 200)}, written at ${write.node}`
