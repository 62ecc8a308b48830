import { eq } from 'drizzle-orm'
import { asSystem } from '../../store/tx.ts'
import { keptBy, refusedAt } from './accounts.ts'
import { founded } from './founding.ts'
import { type Backup, type Member, Members } from './members.ts'
import { enrolmentAt } from './round.ts'
/** What goes wrong by itself: clocks, disks that are put back, clones, revocation, rows that no database takes. */
export class NodeFaults extends Members {
  protected async fault(): Promise<void> {
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
      const able = this.members.filter((each) => each.kind === kind && this.mayBePutBack(each))
      return able.length > 0 && chance.often(0.4) ? this.restore(chance.pick(able)) : undefined
    }
    if (laptops.length === 0 || !chance.often(0.3)) return
    if (what === 'laptop cloned') return this.clone(chance.pick(laptops))
    return this.revoke(chance.pick(laptops))
  }

  protected mayBePutBack = ({ name, isRevoked }: Member): boolean =>
    this.backups.has(name) && !isRevoked && !this.members.some(({ unheard }) => unheard.has(name))

  protected setClock({ node }: Member): void {
    const years = this.chance.pick([-3, -1, 0, 1, 74])
    node.skew = years * 365 * 86_400_000
    this.say(`${node.name}'s clock is ${years} years wrong`)
  }

  /** What was written since the backup and is nowhere else is gone with the disk; all the rest must come back. */
  protected async restore(member: Member): Promise<void> {
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
    // Its own stood on that list alone, whatever somebody else shows at this moment.
    for (const write of this.ledger.writes) if (write.node === member.name && refused.get(write.school)?.(write)) write.forgiven = true
    await this.forgive(member.school)
    // A laptop can hold what its school had outside the program, but neither write nor send it (world 102).
    for (const write of this.ledger.writes) if (write.node === member.name && write.isImpossible) write.forgiven = true
    const isRaw = this.mayGoOn(member) && this.chance.often(0.5)
    const tellers = member.parents.length > 0 ? member.parents : this.below(member).map(({ name }) => name)
    member.unheard = new Set(isRaw ? tellers : [])
    if (!isRaw) await member.node.store.renewNode()
    this.restored.push(member.name)
    this.altering.forget(member.name)
    for (const each of this.schoolsOf(member.school)) {
      await this.ledger.begin(member.node, each.id)
      // Laptops below go back with it, until it is told again.
      for (const { name, parents } of this.members)
        if (name === member.name || parents.includes(member.name)) this.sent.delete(`${name} ${each.id}`)
    }
    this.say(`${member.name} is restored${isRaw ? ', disk and all' : ''}`)
  }

  /**
   * Put back disk and all, a database does not know that it was restored: its parent tells it, and not one that lost the same days; or
   * those below it, of whom none may have lost days of its own.
   */
  protected mayGoOn = ({ name, parents }: Member) => {
    const since = this.restored.slice(this.backups.get(name)?.restored ?? 0)
    return ![...parents, ...this.below({ name }).map((each) => each.name)].some((other) => since.includes(other))
  }

  private below = ({ name }: Pick<Member, 'name'>): Member[] => this.members.filter((each) => each.parents.includes(name))

  protected async clone(member: Member): Promise<void> {
    const name = `${member.name}'${this.members.length}`
    const node = await member.node.clone(name)
    this.members.push({ ...member, name, node, unheard: new Set(member.unheard) })
    for (const each of this.schoolsOf(member.school)) await this.ledger.begin(node, each.id)
    this.say(`${name} is a clone of ${member.name}`)
  }

  /** At all its parents. What it had not sent by then stays with it. */
  protected async revoke(member: Member): Promise<void> {
    const parents = this.members.filter(({ name }) => member.parents.includes(name)).map(({ node }) => node)
    for (const parent of parents) {
      const enrolment = await enrolmentAt(member.node, parent)
      await parent.store.write(asSystem(), async (tx) => {
        const { sync_peer } = tx.t
        if (enrolment) await tx.connection.db.update(sync_peer).set({ revoked_at: tx.now }).where(eq(sync_peer.id, enrolment.id))
      })
    }
    await this.cutOff(member)
  }

  /** A row that the parent's database will not have: nobody can write it through the application. */
  protected async poison({ name, node, school: number }: Member): Promise<void> {
    const school = founded(number)
    await node.store.write(asSystem(school.admins[0]), async (tx) => {
      const [row] = await tx.connection.db.select().from(tx.t.grade).where(eq(tx.t.grade.school_id, school.id))
      if (!row) return
      await tx.connection.run('pragma ignore_check_constraints = on', [])
      await tx.update('grade', [{ before: row, patch: { score: -this.fresh() } }])
      await tx.connection.run('pragma ignore_check_constraints = off', [])
    })
    const written = await this.note(this.members.find((each) => each.name === name) as Member, school, 'a poison row')
    for (const write of written) write.isImpossible = true
  }

  protected async deliverLate(): Promise<void> {
    const [late] = this.way.late.splice(this.chance.below(this.way.late.length), 1)
    if (!late) return
    const { status } = await late.to.app.fetch(late.request)
    this.say(`a late request comes to ${late.to.name}: ${status}`)
    if (status >= 500) this.fail(`${late.to.name} answered ${status} to a late request`)
  }
}
