import { existsSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { clearLine, createInterface, cursorTo } from 'node:readline'
import { naturalId } from '@markbook/shared/ids'
import { mathsExam, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { readConfig } from '../../config.ts'
import { invite, parentsOf } from '../../replication/identity/enrolment.ts'
import { overNetwork } from '../../replication/line/network.ts'
import { joinParent } from '../../replication/upstream/join.ts'
import { type Running, startServer } from '../../start.ts'
import { asSystem } from '../../store/tx.ts'
import { type BadLine, badLineTo } from '../../testing/bad-line.ts'
import { type Api, actAs } from '../act-as.ts'
import { DEMO_ACCOUNTS } from './accounts.ts'
import { seedDemo } from './seed-demo.ts'

/**
 * `npm run demo:sync`: a centre and a school on one machine, whose connection can be cut, to watch how marks are merged. The centre uses
 * SQLite, or the database of DATABASE_URL.
 */
const folder = resolve('data/demo-sync')

const settings = (name: 'centre' | 'school', port: string) => ({
  DATA_DIR: join(folder, name),
  PORT: port,
  COOKIE_PREFIX: name,
  NODE_NAME: name === 'centre' ? 'the ministry' : 'St Brigid’s',
  SESSION_SECRET: `only for a demonstration on this machine: ${name}`,
  BACKUPS: 'false',
  LOG_LEVEL: 'error',
})

/** Prints the prompt again, with the text typed so far. */
let askAgain = () => {}

/** Prints a mail above the prompt. */
function printMail(text: string): void {
  if (process.stdout.isTTY) {
    cursorTo(process.stdout, 0)
    clearLine(process.stdout, 0)
  }
  process.stdout.write(`\n${text}\n`)
  askAgain()
}

const options = { demo: DEMO_ACCOUNTS, print: printMail }

async function begin() {
  // The demonstration begins anew each time; this folder has nothing else.
  if (existsSync(folder)) rmSync(folder, { recursive: true })
  const database = process.env['DATABASE_URL']
  const centre = await startServer(
    readConfig({ ...settings('centre', process.env['PORT'] ?? '3000'), ...(database && { DATABASE_URL: database }) }),
    options,
  )
  await seedDemo(centre.node.services.store)
  const line = await badLineTo(() => centre.port)
  const box = await startServer(readConfig(settings('school', String(centre.port + 1))), options)
  const { code } = await centre.node.services.store.write(asSystem(), (tx) =>
    invite(tx, { kind: 'school', schoolId: stBrigids, userId: null, by: people.okafor.id }),
  )
  await joinParent(box.node.services, { url: line.url, code, kind: 'school' }, overNetwork(new AbortController().signal))
  await box.node.services.replication?.refresh()
  for (;;) {
    const { services } = box.node
    const [parent] = await services.store.read(asSystem(), parentsOf)
    if (services.replication?.course().notice === 'up_to_date' && parent?.their_cursor) return { centre, box, line }
    await new Promise((done) => setTimeout(done, 100))
  }
}

const gradeId = naturalId('grade', mathsExam.id, zoe.id)

class Desk {
  constructor(
    private readonly at: Record<'centre' | 'school', { running: Running; ada: Api }>,
    private readonly line: BadLine,
  ) {}

  private isCut = false

  /** Prints the mark at both ends, and the numbers of waiting changes and conflicts. */
  async look(): Promise<void> {
    for (const name of ['centre', 'school'] as const) {
      const { ada } = this.at[name]
      const score = await this.scoreAt(name)
      const open = await ada.replication.conflicts({ query: { status: 'open' } })
      const { sentence } = await ada.replication.status()
      console.log(`  ${name.padEnd(7)} Zoë has ${String(score).padEnd(4)} ${name === 'school' ? sentence : ''}`)
      for (const { row_id, where, kept, current, node } of open) {
        const whose = row_id === gradeId ? '' : `, in a browser: ${where}`
        console.log(
          `          to decide${whose}: ${Object.values(kept ?? {})} from ${node} did not stand, ${Object.values(current ?? {})} does`,
        )
      }
    }
  }

  /** Decides the conflict about Zoë's mark; conflicts about other marks are decided in a browser. */
  private async decide(choice: 'kept' | 'current'): Promise<void> {
    const { ada } = this.at.centre
    const open = await ada.replication.conflicts({ query: { status: 'open' } })
    const own = open.find(({ row_id }) => row_id === gradeId)
    if (own) {
      await ada.replication.resolve({ params: { id: own.id }, body: { choice } })
      const effect = choice === 'kept' ? 'the mark that did not stand counts' : 'the other stays in the history'
      console.log(`Decided: Zoë has ${await this.scoreAt('centre')} now; ${effect}.`)
    } else console.log('Of Zoë’s mark there is nothing to decide.')
    for (const { where } of open.filter(({ row_id }) => row_id !== gradeId)) console.log(`  To be decided in a browser: ${where}`)
  }

  private async scoreAt(name: 'centre' | 'school'): Promise<number | null | undefined> {
    const grades = await this.at[name].ada.grades.list({ query: { assessmentId: mathsExam.id } })
    return grades.find(({ id }) => id === gradeId)?.score
  }

  async do(typed: string): Promise<boolean> {
    const [word = '', value] = typed.trim().split(/\s+/)
    if (word === 'q') return false
    if (word === 'c') {
      this.isCut = !this.isCut
      if (this.isCut) this.line.cut()
      else {
        this.line.mend()
        // The school would connect again by itself within seconds.
        await this.at.school.running.node.services.replication?.refresh()
      }
      console.log(this.isCut ? 'The line is cut.' : 'The line is mended.')
    } else if ((word === '1' || word === '2') && Number.isFinite(Number(value))) {
      const name = word === '1' ? 'school' : 'centre'
      await this.at[name].ada.grades.update({ params: { id: gradeId }, body: { score: Number(value) } })
      console.log(`Ada entered ${value} at the ${name}.`)
      // Time for a mark to arrive at the other end.
      await new Promise((done) => setTimeout(done, 700))
      await this.look()
    } else if (word === 'k' || word === 'w') {
      await this.decide(word === 'k' ? 'kept' : 'current')
    } else if (word === 's') await this.look()
    else console.log(KEYS)
    return true
  }
}

const WHO = { head: 'the head, an administrator', class_teacher: 'class teacher of 3B', subject_teacher: 'teaches maths in 3B' }
const PEOPLE = `  In a browser, sign in at either as one of these: the page offers them and fills in the code. Or type the address; the code is
  printed here.
${DEMO_ACCOUNTS.map(({ email, first_name, last_name, who }) => `    ${email.padEnd(32)} ${first_name} ${last_name}, ${WHO[who]}`).join('\n')}`

const KEYS = `  Type a letter, and Enter:
    1 80   Ada enters 80 for Zoë's maths exam at the school      2 65   the same at the centre
    c      cut the line, or mend it                              s      look at both ends
    k      let Zoë's mark that did not stand count               w      leave it as it is
    q      stop both
  The mark is Zoë Adeyemi's ${mathsExam.title} in maths, in the term Michaelmas. The app opens in another: choose that term above.`

async function main() {
  console.log('Starting a centre and a school …')
  const { centre, box, line } = await begin()
  const at = {
    centre: { running: centre, ada: (await actAs(centre.node.services, people.ada.id)).api },
    school: { running: box, ada: (await actAs(box.node.services, people.ada.id)).api },
  }
  const desk = new Desk(at, line)
  console.log(`\nThe centre:  ${centre.url}\nThe school:  ${box.url}\n\n${PEOPLE}\n\n${KEYS}\n`)
  await desk.look()
  const lines = createInterface({ input: process.stdin, output: process.stdout, prompt: '> ' })
  askAgain = () => lines.prompt(true)
  process.on('SIGTERM', () => lines.close())
  lines.on('SIGINT', () => lines.close())
  lines.prompt()
  for await (const typed of lines) {
    const goesOn = await desk.do(typed).catch((error: unknown) => {
      console.log(`  ${error instanceof Error ? error.message : String(error)}`)
      return true
    })
    if (!goesOn) break
    lines.prompt()
  }
  lines.close()
  await box.stop()
  await line.close()
  await centre.stop()
}

await main()
process.exit(0)
