import { join } from 'node:path'
import { COMMONS } from '@markbook/shared/ids'
import type { Replicated } from '@markbook/shared/tables/tables'
import { tableOrder } from '../../store/replica/links.ts'
import { knownRows, rowsWhere } from '../../store/replica/states.ts'
import { asSystem } from '../../store/tx.ts'
import { missingWrites } from './accounts.ts'
import type { Action, ActionContext } from './actions.context.ts'
import { structureActions, structureOfTeachers, structureWeights } from './actions.structure.ts'
import { actions, ofTeachers, perform, weights } from './actions.ts'
import type { Chance } from './chance.ts'
import { contentsOf, contradictedAt, differences, scopeAt, strayRows, uncoveredAt } from './checks.ts'
import { type Founded, founded } from './founding.ts'
import { heldAt } from './held.ts'
import { GONE, keyOf, type Write } from './ledger.ts'
import { believedAt } from './lies.ts'
import type { Member, Outcome } from './members.ts'
import { Crash, type WorldNode } from './node.ts'
import { requests, requestWeights, structureRequests, structureRequestWeights } from './requests.ts'
import { RestoredAlone } from './restored-alone.ts'
import { makeRound, meetOtherParents, seenAtParent } from './round.ts'
import { joinUnder, plainCarrier } from './stage.ts'

/** One life of all of them, from a seed: what people and misfortune do, and what must hold once everything has healed. */
export class World extends RestoredAlone {
  /** Phases chaos, heal, quiesce, check, resume, check again. */
  async live(): Promise<Outcome> {
    try {
      await this.begin()
      for (const part of [0.7, 0.3]) {
        this.chaotic = true
        for (let left = Math.round(this.options.events * part); left > 0; left -= 1) await this.happen()
        await this.heal()
        await this.quiesce()
        await this.check(part === 0.3)
        if (this.failures.length > 0) break
      }
    } catch (error) {
      this.fail(`thrown: ${error instanceof Error ? error.stack : String(error)}`)
    } finally {
      await this.end()
    }
    return { trace: this.trace, failures: this.failures }
  }

  private async happen(): Promise<void> {
    this.clock.advance(1_000 + this.chance.below(600_000))
    const kind = this.chance.weighted({ action: 60, request: 10, round: 24, fault: 6 })
    if (kind === 'action') await this.action()
    else if (kind === 'request') await this.request()
    else if (kind === 'round') await this.round(this.chance.pick(this.members.filter((each) => each.kind !== 'centre')))
    else await this.fault()
    if (this.options.hasStructure && this.structure.often(0.5)) await this.structureHappens()
    if (this.has('a laptop that lies')) await this.lie()
    await this.restoreAlone()
  }

  /** Somebody does something with a teaching set or a category. */
  private async structureHappens(): Promise<void> {
    const chance = this.structure
    const member = chance.pick(this.members)
    const school = chance.pick(this.schoolsOf(member.school))
    if (chance.often(0.2)) {
      const name = chance.weighted(structureRequestWeights)
      const actor = this.actorAt(member, school, name === 'markSet', chance)
      const reply = await structureRequests[name](member.node, { school, chance, fresh: this.fresh, actor })
      if (reply && reply.status >= 500) this.fail(`${name} at ${member.name} answered ${reply.status} ${JSON.stringify(reply.body)}`)
      await this.note(member, school, `${name} → ${reply?.status ?? 'nothing to do'}`)
    }
    let name = chance.weighted(structureWeights)
    const isTeachers = member.user !== null && school.teachers.includes(member.user)
    if (isTeachers && chance.often(0.8)) name = chance.pick(structureOfTeachers)
    const actor = this.actorAt(member, school, structureOfTeachers.includes(name), chance)
    const did = await this.does(member, structureActions[name], { school, chance, fresh: this.fresh, actor })
    await this.note(member, school, `${name}${did ? '' : ' (refused)'}`)
  }

  /** Somebody who has a laptop's key speaks for it, now and then, at any of its parents. */
  private async lie(): Promise<void> {
    const spoken = this.liar.next(this.members)
    if (!spoken) return
    const { laptop, parent } = spoken
    await this.liar.speak({ laptop: laptop.node, parent: parent.node, school: founded(laptop.school), user: laptop.user as string })
    for (const node of [laptop.node, parent.node]) await this.rulesAt(node, laptop.school)
  }

  /** Who does something where: on a laptop its user alone. */
  private actorAt({ user }: Member, school: Founded, teacher: boolean, chance: Chance = this.chance): string {
    return user ?? chance.pick(teacher ? [...school.teachers, ...school.admins] : school.admins)
  }

  private async action(): Promise<void> {
    const member = this.chance.pick(this.members)
    const school = this.chance.pick(this.schoolsOf(member.school))
    let name = this.chance.weighted(weights)
    const isTeachers = member.user !== null && school.teachers.includes(member.user)
    if (isTeachers && this.chance.often(0.9)) name = this.chance.pick(ofTeachers)
    const actor = this.actorAt(member, school, ofTeachers.includes(name))
    if (this.has('writer crashes') && this.chance.often(0.03)) member.node.crash = this.chance.pick(['before commit', 'after commit'])
    const cut = member.node.crash
    const did = await this.does(member, actions[name] as Action, { school, chance: this.chance, fresh: this.fresh, actor })
    await this.note(member, school, `${name}${cut ? ` (crash ${cut})` : ''}${did ? '' : ' (refused)'}`)
  }

  private async does(member: Member, action: Action, context: Omit<ActionContext, 'tx'>): Promise<boolean> {
    return perform(member.node, action, context).catch(async (error: unknown) => {
      if (!(error instanceof Crash)) throw error
      await member.node.restart()
      return true
    })
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

  private async heal(): Promise<void> {
    this.chaotic = false
    while (this.way.late.length > 0) await this.deliverLate()
    this.say('— healed')
  }

  private living = () => this.members.filter(({ isRevoked, kind }) => kind !== 'centre' && !isRevoked)

  /** P2: three rounds are enough, and a fourth changes nothing. */
  private async quiesce(): Promise<void> {
    const inOrder = [...this.living()].sort((a, b) => Number(a.kind === 'school') - Number(b.kind === 'school'))
    for (const member of inOrder) await this.meetOthers(member)
    for (let round = 0; round < 3; round += 1) for (const member of inOrder) await this.round(member)
    const before = await this.feeds()
    for (const member of inOrder) await this.round(member)
    const after = await this.feeds()
    for (const [place, seq] of after)
      if (before.get(place) !== seq)
        this.fail(`${place} goes on changing after three rounds: ${await this.changedAfter(place, before.get(place) ?? 0)}`)
    this.say('— quiet')
  }

  private async meetOthers({ node, parents }: Member): Promise<void> {
    const all = parents.map((name) => this.members.find((each) => each.name === name)?.node as WorldNode)
    await meetOtherParents(node, all, (parent) => plainCarrier(node, parent))
  }

  private async feeds(): Promise<Map<string, number>> {
    const feeds = new Map<string, number>()
    for (const { name, node, school } of [...this.living(), this.members[0] as Member]) {
      for (const { id } of this.schoolsOf(school))
        feeds.set(`${name} ${id.slice(0, 8)}`, (await node.store.read(asSystem(), (tx) => tx.dialect.feedOf(tx.connection, id))).seq)
    }
    return feeds
  }

  private async changedAfter(place: string, seq: number): Promise<string> {
    const [name, school] = place.split(' ') as [string, string]
    const { node } = this.members.find((each) => each.name === name) as Member
    const { id } = this.schoolsOf(0).find((each) => each.id.startsWith(school)) as Founded
    const entries = await node.store.read(asSystem(), (tx) =>
      tx.dialect.feedEntries(tx.connection, id, { after: seq, upTo: Number.MAX_SAFE_INTEGER, limit: 5 }),
    )
    return entries.map(({ table_name, row_id }) => `${table_name} ${row_id}`).join(', ')
  }

  /** `isEnd`: nothing happens any more, so that everybody has the time to compare. */
  private async check(isEnd: boolean): Promise<void> {
    const schools = this.schoolsOf(0).map(({ id }) => id)
    const nodes = this.members.map(({ node }) => node)
    for (const write of await missingWrites(this.ledger, this.centre(), nodes, schools)) this.fail(`lost: ${wordsOf(write)}`)
    for (const node of nodes) for (const stray of [...(await strayRows(node)), ...(await uncoveredAt(node))]) this.fail(stray)
    if (this.options.faults.has('a laptop that lies'))
      for (const node of nodes) for (const believed of await believedAt(node, schools)) this.fail(believed)
    if (isEnd) await this.audit()
    const contents = remembered()
    for (const member of this.living()) await this.compare(member, contents, isEnd)
    if (this.options.seed % 3 === 0) await this.freshCopy()
    this.say(`— checked, ${this.ledger.writes.length} writes`)
  }

  /** Nobody changed a database outside the program, so nothing in it is other than its history says. */
  private async audit(): Promise<void> {
    for (const { node, school } of [...this.living(), this.members[0] as Member])
      for (const wrong of await contradictedAt(node, [...this.schoolsOf(school).map(({ id }) => id), COMMONS])) this.fail(wrong)
  }

  private async compare(member: Member, contents: typeof contentsOf, isEnd: boolean): Promise<void> {
    const { id } = founded(member.school)
    const parent = this.members.find(({ name }) => name === member.parents[0])?.node as WorldNode
    const within = member.user === null ? undefined : await scopeAt(parent, id, member.user)
    const held = await this.heldAt([parent, member.node], id)
    const found = differences(await contents(parent, id), await contents(member.node, id), within)
    for (const each of found.filter((text) => !held.has(text.split(':', 1)[0] as string)))
      this.fail(`${parent.name} and ${member.name} differ: ${each}`)
    if (found.length > 0 || held.size > 0 || !isEnd) return
    const seen = await seenAtParent(member.node, parent, plainCarrier(member.node, parent))
    if (seen.length > 0) this.fail(`${member.name} would say that it differs from ${parent.name}: ${seen}`)
    if (seen.length > 0) for (const apart of await this.statesApart(parent, member.node, id)) this.say(apart)
  }

  /** Versions that differ of the rows that both have, for who reads the trace: the values are the same by then. */
  private async statesApart(parent: WorldNode, child: WorldNode, school: string): Promise<string[]> {
    const apart: string[] = []
    const statesAt = ({ store }: WorldNode, table: Replicated, ids: readonly string[]) =>
      store.read(asSystem(), (tx) => knownRows(tx, table, school, ids))
    for (const table of tableOrder) {
      const rows = await child.store.read(asSystem(), (tx) => rowsWhere(tx, table, school))
      const ids = rows.map(({ id }) => id)
      const [there, here] = [await statesAt(parent, table, ids), await statesAt(child, table, ids)]
      for (const id of ids) {
        const [a, b] = [there, here].map((known) => JSON.stringify(known.get(id)?.state))
        if (a !== b) apart.push(`${table} ${id}: ${a} ≠ ${b}`)
      }
    }
    return apart
  }

  private async heldAt(nodes: readonly WorldNode[], school: string): Promise<Set<string>> {
    const { held, wrongly } = await heldAt(
      nodes,
      school,
      this.members.map(({ node }) => node),
    )
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
    const held = await this.heldAt([centre, stage], id)
    for (const each of differences(await contentsOf(centre, id), await contentsOf(stage, id)))
      if (!held.has(each.split(':', 1)[0] as string)) this.fail(`a fresh copy differs: ${each}`)
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

/** What a node holds is read once, however many are compared with it. */
function remembered(): typeof contentsOf {
  const known = new Map<string, ReturnType<typeof contentsOf>>()
  return (node, school) => {
    const key = `${node.name} ${school}`
    const read = known.get(key) ?? contentsOf(node, school)
    known.set(key, read)
    return read
  }
}

const wordsOf = (write: Write) =>
  `${keyOf(write)} = ${write.value === GONE ? 'deleted' : write.value.slice(0, 200)}, written at ${write.node}`
