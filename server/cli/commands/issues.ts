import { Failure } from '@markbook/shared/failures'
import { Argument, type Command, InvalidArgumentError } from 'commander'
import type { Config } from '../../config.ts'
import type { Issue } from '../../features/replication/issues.ts'
import type { Here } from '../../features/replication/replication.queries.ts'
import type { Services } from '../../http/services.ts'
import { laptopOwner } from '../../store/laptop.ts'
import { asSystem } from '../../store/tx.ts'
import { actingAs } from '../act-as.ts'
import { confirm } from '../confirm.ts'
import { atConsole, withNode } from '../console.ts'
import { schoolsHere, staffById, staffMember } from '../export/naming.ts'
import { addCommand, wrongUsage } from '../help.ts'
import { type Decision, decisionOf } from '../issue-decision.ts'
import { adviceText, type DescribedIssue, listText, nowText, subjectOfIssue, wholeText } from '../issue-text.ts'
import { describeIssues, everyIssue, issueNamed } from '../issues-here.ts'
import { configureExisting } from '../settings/environment.ts'
import { harmless, WIDTH, wrap } from '../table.ts'
import { counted } from '../words.ts'
import { addressFrom } from './import.ts'

export function issuesCommand(program: Command) {
  const issues = addCommand(
    program,
    'issues',
    'what people must look at here: marks to decide, writes not taken, clocks, copies; and decide it',
    {
      about: 'The same as the page «Sync» of the app, for who runs this server. The server may go on working.',
      examples: ['markbook issues list', 'markbook issues show 3f9a2c', 'markbook issues resolve 3f9a2c other --as head@school.example'],
      exits: { 0: 'done, or there is nothing to look at', 1: 'it was refused, and one clear line says why' },
    },
  )
  addCommand(issues, 'list', 'list what there is to look at, the newest first', {
    examples: ['markbook issues list', 'markbook issues list --limit 50 --page 2'],
    exits: { 0: 'listed, or there is nothing to look at', 1: 'they could not be read, and one clear line says why' },
  })
    .option('--school <name>', 'of this school only, where there are several')
    .option('--limit <count>', 'how many at a time', wholeNumber, LIMIT)
    .option('--page <number>', 'which page of them', wholeNumber, 1)
    .action(list)
  addCommand(issues, 'show', 'say everything about one of them: both values, who wrote them, when and where', {
    examples: ['markbook issues show 3f9a2c'],
    exits: { 0: 'shown', 1: 'it could not be read, and one clear line says why' },
  })
    .argument('<id>', 'as the list has it')
    .action(show)
  addCommand(issues, 'resolve', 'decide which of two values counts; enter what was not taken, or put it aside', {
    about: `It is decided as in the app: by somebody who may write that row, whose name stands in the history. On a teacher's
laptop that is its teacher, and --as is not needed. Wrong usage is also an id that is not there, what is decided
already, and what is not decided here (a row that waits, a clock, a copied computer).`,
    examples: [
      'markbook issues resolve 3f9a2c now --as head@school.example      what counts now stays',
      'markbook issues resolve 3f9a2c other --as head@school.example    the other value counts from now on',
      'markbook issues resolve 3f9a2c --value 72.5 --as head@school.example',
      'markbook issues resolve 81c0de other --as head@school.example    what was not taken is entered after all',
      'markbook issues resolve 81c0de --as head@school.example          a write that was not taken is put aside',
    ],
    exits: { 0: 'it is decided, or put aside', 1: 'that person may not, a rule is in the way, or you said no: nothing was changed' },
  })
    .argument('<id>', 'as the list has it')
    .addArgument(new Argument('[choice]', 'of two values: what counts now, or the other').choices(['now', 'other']))
    .option('--value <value>', 'another value than both; column=value where there are several columns', gathered)
    .option('--as <email>', 'the administrator or teacher in whose name it is done and written down', addressFrom)
    .option('--yes', 'do not ask before something is deleted')
    .action(resolve)
}

const LIMIT = 20
const MOST = 1_000

function wholeNumber(typed: string): number {
  const number = Number(typed)
  if (!Number.isInteger(number) || number < 1 || number > MOST) throw new InvalidArgumentError(`It must be a number from 1 to ${MOST}.`)
  return number
}

const gathered = (typed: string, before: readonly string[] = []) => [...before, typed]

const hereOf = ({ store, config }: Pick<Services, 'store' | 'config'>): Here => ({ id: store.nodeId, name: config.nodeName })

async function list({ school, limit, page }: { school?: string; limit: number; page: number }) {
  await atConsole(async (at) => {
    const { lines, count } = await at.store.read(asSystem(), async (tx) => {
      const schools = await schoolsHere(tx, school)
      const found = await everyIssue(tx, schools)
      const shown = found.slice((page - 1) * limit, page * limit)
      const told = await describeIssues(tx, hereOf(at), shown, found)
      const bySchool = schools.map(({ id, name }) => ({ school: name, told: told.filter(({ issue }) => issue.school === id) }))
      return { lines: listText(bySchool, { isNamed: schools.length > 1 }), count: found.length }
    })
    console.log(headline(count, { limit, page }))
    if (lines.length > 0) console.log(`${lines.join('\n')}\n\nEverything about one: markbook issues show <id>`)
  })
}

function headline(count: number, { limit, page }: { limit: number; page: number }): string {
  if (count === 0) return 'There is nothing to look at.'
  const [first, last, pages] = [(page - 1) * limit + 1, Math.min(page * limit, count), Math.ceil(count / limit)]
  if (first > count) return `There is no page ${page}: ${counted(count, 'thing')} to look at, in ${counted(pages, 'page')} of ${limit}.`
  if (pages === 1) return `${counted(count, 'thing')} to look at.`
  const next = page < pages ? ` The next: markbook issues list${limit === LIMIT ? '' : ` --limit ${limit}`} --page ${page + 1}` : ''
  return `${first} to ${last} of ${counted(count, 'thing')} to look at.${next}`
}

async function show(id: string) {
  await atConsole(async (at) => {
    const { told, school, isOnlySchool } = await at.store.read(asSystem(), (tx) => issueNamed(tx, hereOf(at), id))
    const advice = adviceText(told)
    console.log([...wholeText(told, isOnlySchool ? null : school), ...(advice.length > 0 ? ['', ...advice] : [])].join('\n'))
  })
}

type Resolving = { value?: string[]; as?: string; yes?: boolean }

async function resolve(id: string, choice: 'now' | 'other' | undefined, { value: values = [], as, yes = false }: Resolving) {
  // A refusal is printed by this command; it needs no warning in a log.
  const config: Config = { ...configureExisting(), logLevel: 'error' }
  await withNode(async ({ services }) => {
    const { store } = services
    const { told } = await store.read(asSystem(), (tx) => issueNamed(tx, hereOf(services), id))
    const decision = decisionOf(told, { choice, values })
    const person = await inWhoseName(services, told.issue, as)
    if (decision.deletes)
      await confirm(harmless(`${subjectOfIssue(told)} then goes, with all that belongs to it, here and at the other places. Delete it?`), {
        yes,
      })
    await carryOut(services, person, decision)
    const { told: after } = await store.read(asSystem(), (tx) => issueNamed(tx, hereOf(services), told.issue.ref))
    console.log([...outcomeOf(after, person.email, decision).flatMap((line) => wrap(line, WIDTH)), await left(services)].join('\n'))
  }, config)
}

/** Decides through the endpoints, with the rights of the person and under their name. */
async function carryOut(services: Services, { userId, email }: { userId: string; email: string }, decision: Decision): Promise<void> {
  const params = { id: decision.id }
  await actingAs(services, userId, async (api) => {
    if (decision.of === 'conflict') await api.replication.resolve({ params, body: decision.body })
    else await api.replication[decision.enters ? 'enter' : 'seen']({ params })
  }).catch((error) => {
    throw error instanceof Failure ? new Error(inWords(error, email)) : error
  })
}

/**
 * The person named by `email`; without one the person of this laptop. Throws where this is no laptop, or where they work at another school.
 */
async function inWhoseName({ store }: Services, { school }: Issue, email: string | undefined) {
  if (email === undefined) {
    const owner = await store.read(asSystem(), laptopOwner)
    if (owner === null)
      throw wrongUsage('Say in whose name it is done, with --as and the address of an administrator, or of a teacher who may.')
    return staffById(store, owner, school)
  }
  const person = await staffMember(store, email)
  if (person.schoolId === school) return person
  throw new Error(`${email} works at ${person.schoolName}, and this is of another school. Nothing was changed.`)
}

/** A refusal of an endpoint as a sentence for the terminal. */
function inWords({ status, message, issues = [] }: Failure, email: string): string {
  const why = status === 403 || status === 404 ? `${email} may not decide this. ${message}` : message
  return [why, ...issues.map(({ path, message }) => `${path.replace(/^value\./, '')} ${message}.`), 'Nothing was changed.'].join(' ')
}

function outcomeOf(told: DescribedIssue, email: string, decision: Decision): string[] {
  const { issue, conflict } = told
  if (issue.kind === 'refused') {
    const done = decision.of === 'refused' && decision.enters ? 'Entered' : 'Put aside'
    return [`${done} in the name of ${email}: ${subjectOfIssue(told)}`]
  }
  const now = conflict?.current ? `Now counts: ${nowText(told, conflict)}` : 'It is not there any more.'
  return [`Decided in the name of ${email}: ${subjectOfIssue(told)}`, now]
}

async function left({ store }: Services): Promise<string> {
  const count = await store.read(asSystem(), async (tx) => (await everyIssue(tx, await schoolsHere(tx))).length)
  return count === 0 ? 'There is nothing more to look at.' : `${counted(count, 'more thing')} to look at: markbook issues list`
}
