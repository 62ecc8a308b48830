import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Assessment } from '@markbook/shared/contract/assessments'
import type { HistoryEntry } from '@markbook/shared/contract/history'
import type { Conflict } from '@markbook/shared/contract/replication.rows'
import { naturalId } from '@markbook/shared/ids'
import { MAXIMUM } from '../../../cli/seed/real/seed-real.ts'
import { asSystem } from '../../../store/tx.ts'
import type { BadLine } from '../../../testing/bad-line.ts'
import { after, type Node, until } from '../../processes/network.ts'
import { chanceOf } from '../../world/chance.ts'
import { type Centre, seatAt, startCentre } from '../centre.ts'
import { everythingSent, yesterday } from '../faults.ts'
import { demandPgBouncer, judge, type Outcome, teller } from '../judgement.ts'
import { Ledger } from '../ledger.ts'
import { readersOf } from '../oracle.ts'
import { type Account, Person, type Seat } from '../person.ts'
import type { Run } from '../run.ts'
import { type Plan, planOf, SCHOOL_DAYS, WEEKS, weekOf } from './calendar.ts'
import { foundRealSchool, storySchool, type YearSchool } from './school.ts'
import { type Sheet, Teacher } from './teacher.ts'
import { Arrivals, type Wait, waitOf } from './waits.ts'

/** Of a day: at school, at home in the evening; and the weekend, which is shorter than two days. */
const [MORNING, EVENING, WEEKEND] = [0.6, 0.4, 0.5]
const LAPTOPS = 4

/** By which id a node is known to its parent: a copy goes by the name of the laptop that it was copied from. */
async function enrolmentOf(node: Node, parent: Node): Promise<string> {
  const number = await node.look(async (store) => store.nodeId)
  const peers = await parent.look((store) => store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_peer)))
  const [peer] = peers.filter(({ node_id }) => node_id === number)
  if (!peer) throw new Error(`${node.name} is not known at ${parent.name}`)
  return peer.id
}

/** A computer that somebody takes home. */
type Laptop = { owner: Account; node: Node; line: BadLine; seat: Seat; teacher: Teacher }
type Opened = YearSchool & {
  node: Node
  seat: Seat
  line: BadLine
  head: Person
  laptops: Laptop[]
  atSchool: Teacher[]
  atCentre: Teacher
}

/** A year of marks at two schools in `ms`, with what happens in a year. */
export async function schoolYear({ seed, ms, cluster, tell }: Run): Promise<Outcome> {
  const say = teller(tell)
  const missing = demandPgBouncer(say)
  if (missing) return missing
  const centre = await startCentre(cluster, say)
  const year = new Year(centre, seed, ms / (WEEKS * (SCHOOL_DAYS + WEEKEND)), say)
  try {
    await year.open()
    await year.pass()
    return await year.end()
  } catch (error) {
    return { failures: [String(error)], summary: 'it ended before its end' }
  } finally {
    await year.pause()
    await centre.remove()
  }
}

class Year {
  private readonly ledger = new Ledger()
  private readonly chance
  private readonly plan: Plan
  private schools: Opened[] = []
  private writers: Teacher[] = []
  private readonly decided: number[] = []
  private readonly conflicts = new Set<string>()
  private arrivals = new Arrivals(this.ledger, [])
  /** What a thief wrote, which must not come anywhere. */
  private readonly stolen: { assessment: string; pupil: string; value: string }[] = []
  private backup = ''

  constructor(
    private readonly centre: Centre,
    private readonly seed: number,
    /** How long a school day is here, ms. */
    private readonly day: number,
    private readonly say: (what: string) => void,
  ) {
    this.chance = chanceOf(seed)
    this.plan = planOf(this.chance)
  }

  async open(): Promise<void> {
    this.say('founding a school of 395 pupils at the centre')
    const founded = [await foundRealSchool(this.centre.seat), storySchool()]
    for (const school of founded) this.schools.push(await this.opened(school))
    this.arrivals = new Arrivals(
      this.ledger,
      this.schools.map(({ group }) => new Person(group.head, this.centre.seat)),
    )
  }

  private teacher(account: Account, seat: Seat, sheet: Sheet, pace = this.day * 0.8): Teacher {
    const teacher = new Teacher(new Person(account, seat), sheet, this.ledger, chanceOf(this.seed * 100 + this.writers.length), pace)
    this.writers.push(teacher)
    return teacher
  }

  /** A server for a school, and laptops for the first of its teachers. */
  private async opened(school: YearSchool): Promise<Opened> {
    const { instances, balanced, seat: centreSeat } = this.centre
    this.say(`${school.name} gets its server, and its teachers their laptops`)
    const node = await this.centre.node(school.name)
    const line = await this.centre.lineTo(`between ${school.name} and the centre`, node, balanced)
    await node.joinAndStart(instances[0], ['--school', school.name], [], line)
    const seat = seatAt(school.name, node)
    const head = new Person(school.group.head, seat)
    await head.copied()
    const owners = school.staff.slice(0, LAPTOPS)
    const shared = school.staff.flatMap(({ sheet }) => sheet.shared)
    const correcting: Sheet = {
      group: school.group,
      subject: school.group.subjects[0] as string,
      alone: [],
      shared,
      assessments: school.assessments,
    }
    const opened: Opened = {
      ...school,
      node,
      seat,
      line,
      head,
      laptops: [],
      atSchool: school.staff.slice(LAPTOPS).map(({ account, sheet }) => this.teacher(account, seat, sheet)),
      atCentre: this.teacher(school.group.head, centreSeat, correcting, this.day),
    }
    for (const { account, sheet } of owners) opened.laptops.push(await this.given(opened, account, sheet))
    return opened
  }

  private async given(school: Opened, owner: Account, sheet: Sheet, name = `the laptop of ${owner.name}`): Promise<Laptop> {
    const node = await this.centre.node(name)
    const line = await this.centre.lineTo(`between ${name} and ${school.name}`, node, () => school.node.port ?? 9)
    await node.joinAndStart(school.node, ['--laptop', owner.email], ['--laptop'], line)
    const seat = seatAt(name, node)
    const teacher = this.teacher(owner, seat, sheet)
    await teacher.person.copied()
    return { owner, node, line, seat, teacher }
  }

  async pause(): Promise<void> {
    await Promise.all(this.writers.map((writer) => writer.pause()))
  }

  async pass(): Promise<void> {
    for (let week = 0; week < WEEKS; week += 1) {
      await this.begin(week)
      for (let day = 0; day < SCHOOL_DAYS; day += 1) await this.schoolDay(week, day)
      await this.weekend()
      const count = this.ledger.count('acknowledged')
      this.say(`week ${week + 1} of ${WEEKS}: ${count} marks acknowledged, ${this.conflicts.size} kept as conflicts`)
    }
  }

  /** On Monday every school sets the tests of the week. */
  private async begin(week: number): Promise<void> {
    if (week === this.plan.outage) {
      this.say('an outage of two weeks: no school reaches the centre')
      for (const { line } of this.schools) line.cut()
    }
    if (week === this.plan.outage + 2) {
      this.say('the internet is back')
      for (const { line } of this.schools) line.mend()
    }
    const { term, isLast } = weekOf(week)
    for (const { group, assessments, head } of this.schools)
      for (const subject of group.subjects) {
        const body = {
          termId: group.terms[term],
          subjectId: subject,
          title: isLast ? `The mark of the term` : `Test of week ${week + 1}`,
          assessmentType: 'coursework',
          maxScore: MAXIMUM,
        }
        const { id } = await head.write<Assessment>('POST', '/api/assessments', body)
        assessments.push({ id, term, subject, final: isLast })
      }
  }

  private async schoolDay(week: number, day: number): Promise<void> {
    const isDayOf = (moment: Plan['theft']) => moment.week === week && moment.day === day
    if (isDayOf(this.plan.clone)) await this.copyLaptop()
    for (const { laptops, atSchool } of this.schools) {
      for (const { line, teacher } of laptops) {
        line.mend()
        teacher.resume()
      }
      for (const teacher of atSchool) teacher.resume()
    }
    await after(this.day * MORNING)
    if (isDayOf(this.plan.restore)) await this.restoreSchool()
    for (const { atSchool } of this.schools) await Promise.all(atSchool.map((teacher) => teacher.pause()))
    if (isDayOf(this.plan.theft)) await this.steal()
    await this.arrivals.look()
    for (const { laptops, atCentre } of this.schools) {
      for (const { line } of laptops) line.cut()
      atCentre.resume()
    }
    await after(this.day * EVENING)
    await this.pause()
    if (isDayOf({ ...this.plan.restore, day: this.plan.restore.day - 1 })) await this.backUp()
    await this.arrivals.look()
  }

  /** On Friday evening the heads decide what is open. */
  private async weekend(): Promise<void> {
    for (const { head } of this.schools) {
      for (const { id, at } of await head.see<Conflict[]>('/api/sync/conflicts?status=open')) {
        const answer = await head.ask('POST', `/api/sync/conflicts/${id}/resolve`, { choice: this.chance.often(0.5) ? 'kept' : 'current' })
        if (answer.status === 200) this.decided.push(Date.now() - Date.parse(at))
      }
      for (const { id } of await head.see<Conflict[]>('/api/sync/conflicts')) this.conflicts.add(id)
    }
    await after(this.day * WEEKEND)
    await this.arrivals.look()
  }

  private async backUp(): Promise<void> {
    const { node, head } = this.schools[0] as Opened
    this.backup = await yesterday(node, head)
    this.say(`${node.name} has made the backup of the night`)
  }

  /** The disk of the school dies at noon; its people go on once they see what they wrote. */
  private async restoreSchool(): Promise<void> {
    const { node, head, atSchool, laptops } = this.schools[0] as Opened
    await this.pause()
    await everythingSent(node, head)
    for (const { teacher } of laptops) teacher.resume()
    this.say(`the disk of ${node.name} dies, and the night's backup is restored`)
    await node.kill()
    await node.done('restore', this.backup, '--yes')
    await node.start()
    await Promise.all(atSchool.map((teacher) => teacher.seesOwn()))
    this.say(`${node.name} has its lost morning again`)
  }

  /** On the way home; the thief starts it where it still reaches the school, and writes. */
  private async steal(): Promise<void> {
    const school = this.schools[0] as Opened
    const [taken] = school.laptops.splice(0, 1) as [Laptop]
    await taken.teacher.pause()
    await everythingSent(taken.node, taken.teacher.person)
    this.say(`${taken.seat.name} is stolen, and revoked at the school`)
    await school.node.done('node', 'revoke', taken.seat.name, '--yes')
    const value = 'written by a thief'
    const [pupil, assessment] = [taken.teacher.sheet.alone[0]?.id as string, school.assessments.at(-1)?.id as string]
    const grades = [{ studentId: pupil, score: MAXIMUM, remarks: value }]
    const answer = await taken.teacher.person.ask('POST', '/api/grades/bulk', { assessmentId: assessment, grades })
    this.say(`the thief writes a mark on it, which answers ${answer.status}`)
    this.stolen.push({ assessment, pupil, value })
    await after(this.day * EVENING)
    await taken.node.kill()
    school.laptops.push(await this.given(school, taken.owner, taken.teacher.sheet, `the new laptop of ${taken.owner.name}`))
    this.say(`${taken.owner.name} has a new laptop`)
  }

  /** Somebody copies the disk of a laptop to a second one: both are used for a day, for other pupils; then the copy is put away. */
  private async copyLaptop(): Promise<void> {
    const school = this.schools[0] as Opened
    const laptop = school.laptops.at(-1) as Laptop
    const { alone, ...rest } = laptop.teacher.sheet
    const half = Math.ceil(alone.length / 2)
    const name = `${laptop.seat.name} copied`
    this.say(`${laptop.seat.name} is copied to a second computer`)
    await laptop.node.stop()
    const copy = await this.centre.node(name)
    for (const file of readdirSync(laptop.node.folder))
      if (file !== 'test-clock') cpSync(join(laptop.node.folder, file), join(copy.folder, file), { recursive: true })
    // Both ask by the one line that the disk names.
    laptop.line.mend()
    await Promise.all([laptop.node.start(), copy.start()])
    laptop.teacher.sheet = { ...rest, alone: alone.slice(0, half) }
    const second = this.teacher(laptop.owner, seatAt(name, copy), { ...rest, alone: alone.slice(half), shared: [] })
    for (const teacher of [laptop.teacher, second]) teacher.resume()
    await after(this.day)
    await second.pause()
    await everythingSent(copy, second.person)
    await copy.stop()
    await school.node.done('node', 'revoke', await enrolmentOf(copy, school.node), '--yes')
    this.say('the copy is put away, and revoked at the school')
  }

  async end(): Promise<Outcome> {
    await this.pause()
    for (const { laptops } of this.schools) for (const { line } of laptops) line.mend()
    await until(
      async () => {
        await this.arrivals.look()
        return this.arrivals.left() === 0
      },
      'every mark at the centre',
      120_000,
    ).catch(() => {})
    const { instances, seats } = this.centre
    const readers = this.schools.map(({ group, seat, laptops }) => readersOf(group, [...seats, seat], laptops))
    const nodes = {
      schools: this.schools.map(({ node }) => node),
      laptops: this.schools.flatMap(({ laptops }) => laptops.map(({ node }) => node)),
    }
    const at = { ...this.centre, ...nodes, nodes: [...instances, ...nodes.schools, ...nodes.laptops] }
    const thefts = await this.wroteByThieves()
    const outcome = await judge({
      at,
      readers,
      ledger: this.ledger,
      writers: this.writers,
      say: this.say,
      what: `a year of ${WEEKS} weeks`,
    })
    const failures = [...outcome.failures, ...thefts]
    return { ...outcome, failures, figures: this.figures(failures) }
  }

  private async wroteByThieves(): Promise<string[]> {
    const head = new Person((this.schools[0] as Opened).group.head, this.centre.seat)
    const found: string[] = []
    for (const { assessment, pupil, value } of this.stolen) {
      const { status, text } = await head.ask('GET', `/api/history?entity=grade&id=${naturalId('grade', assessment, pupil)}`)
      const past: HistoryEntry[] = status === 404 ? [] : JSON.parse(text)
      if (past.some(({ changes }) => Object.values(changes).some(({ after }) => after === value)))
        found.push(`what was written on a stolen laptop came to the centre: «${value}»`)
    }
    return found
  }

  private figures(failures: readonly string[]): string[] {
    const onLaptops = this.ledger.writes.filter(({ state, by }) => state === 'acknowledged' && by.includes('laptop')).length
    const lost = failures.filter((failure) => /^(lost|torn|not in the history)/.test(failure)).length
    const row = (what: string, figure: number | string) => `  ${what.padEnd(34)}${String(figure).padStart(8)}`
    const waits = (what: string, wait: Wait) =>
      `  ${what.padEnd(34)}${wait ? [wait.half, wait.most, wait.all].map((ms) => this.inDays(ms).padStart(16)).join('') : '            none'}`
    return [
      `The year in figures (a school day was ${(this.day / 1_000).toFixed(1)} s)`,
      row('marks acknowledged', this.ledger.count('acknowledged')),
      row('  of them on laptops', onLaptops),
      row('without an answer', this.ledger.count('unknown')),
      row('kept as conflicts', this.conflicts.size),
      row('  decided by the heads', this.decided.length),
      row('  by who wrote again, or at the end', this.conflicts.size - this.decided.length),
      row('lost', lost),
      '',
      `  ${''.padEnd(34)}${['half within', '19 of 20 within', 'all within'].map((head) => head.padStart(16)).join('')}`,
      waits('from a mark to the centre', this.arrivals.wait()),
      waits('from a conflict to its decision', waitOf(this.decided)),
    ]
  }

  /** In hours below two days; a day has 24. */
  private inDays(ms: number): string {
    const days = ms / this.day
    return days < 2 ? `${(days * 24).toFixed(1)} hours` : `${days.toFixed(1)} days`
  }
}
