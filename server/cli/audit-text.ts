import type { DisagreementReason, FileTally, Tally } from '@markbook/shared/contract/audit'
import { isBad } from '../replication/audit/audit.found.ts'
import type { Witness } from '../replication/audit/audit.heads.ts'
import type { Restored } from '../replication/audit/audit.kept.ts'
import { codeOfHead } from '../replication/audit/head-code.ts'
import type { DescribedAudit, DescribedDisagreement, DescribedFault } from './audit-here.ts'
import { factLines, INDENT, WIDTH, wrap } from './table.ts'
import { counted, shortMoment } from './words.ts'

const SHOWN = 10
const ROOM = WIDTH - INDENT.length

/** What an audit found in a school, as lines for the terminal. */
export function auditText(found: DescribedAudit): string[] {
  const { school, marks, others, files, disagreements, wrong, wrongCount } = found
  const facts: [string, string][] = [
    ...(school === null ? [] : [['Marks:', tallyText(marks)] as [string, string]]),
    [school === null ? 'Rows:' : 'Other rows:', tallyText(others)],
    ['Files:', filesText(files)],
    ['History:', wrongCount === 0 ? 'as it was written' : `${counted(wrongCount, 'transaction')} not as written`],
    ...keptText(found),
    ...found.witnesses.map((each, at): [string, string] => [at === 0 ? 'Others:' : '', witnessText(each)]),
  ]
  return [
    `${school ?? 'The people of all schools'}`,
    ...factLines(facts),
    ...disagreements.slice(0, SHOWN).flatMap((each) => ['', ...disagreementText(each)]),
    ...more(marks.contradicted + others.contradicted + files.swapped, SHOWN, 'row'),
    ...wrong.slice(0, SHOWN).flatMap((each) => ['', ...wrongText(each)]),
    ...more(wrongCount, SHOWN, 'transaction'),
  ]
}

const more = (count: number, shown: number, what: string): string[] =>
  count > shown ? ['', `${INDENT}… and ${counted(count - shown, `more ${what}`)}. With --json more are named.`] : []

/** `40 proved (3 of them unsigned), 2 without history, 1 contradicted`. */
function tallyText({ proved, untold, contradicted, unsigned }: Tally): string {
  if (proved + untold + contradicted === 0) return 'none'
  const figure = (count: number, what: string) => `${count.toLocaleString('en-GB')} ${what}`
  const parts = [
    figure(proved, `proved${unsigned > 0 ? ` (${figure(unsigned, 'by unsigned entries')})` : ''}`),
    ...(untold > 0 ? [figure(untold, 'without history')] : []),
    ...(contradicted > 0 ? [figure(contradicted, 'CONTRADICTED')] : []),
  ]
  return parts.join(', ')
}

/** `40 as stored, 1 not here, 1 SWAPPED`. */
function filesText({ same, unhashed, absent, swapped }: FileTally): string {
  const parts: [number, string][] = [
    [same, 'as stored'],
    [unhashed, 'without a hash'],
    [absent, 'not here'],
    [swapped, 'SWAPPED'],
  ]
  const told = parts.filter(([count]) => count > 0).map(([count, what]) => `${count.toLocaleString('en-GB')} ${what}`)
  return told.length === 0 ? 'none' : told.join(', ')
}

/** How the history compares with the head that an earlier audit kept, and the restore of the last month, if any. */
function keptText({ kept, restored, head }: DescribedAudit): [string, string][] {
  const at = kept.at === null ? '' : shortMoment(kept.at)
  const said = {
    first: null,
    same: `goes on from where it was audited on ${at}`,
    restored: `what was written until ${at} is not all here: a backup was restored since`,
    other: `IS NOT THE ONE that was audited here on ${at}: entries were changed or taken out, or the database was put back`,
  }[kept.is]
  const from = restored?.from ? `, of ${shortMoment(restored.from)}` : ''
  return [
    ...(said === null ? [] : [['Before:', said] as [string, string]]),
    ...(restored === null ? [] : [['Restored:', `from a backup${from}, on ${shortMoment(restored.at)}`] as [string, string]]),
    ...(head === null ? [] : [['Code now:', codeOfHead(head.head)] as [string, string]]),
  ]
}

function witnessText(witness: Witness): string {
  const { name, side } = witness
  if (witness.is === 'unasked') return `${name}: could not be asked. ${witness.why}`
  const said = {
    same: side === 'parent' ? 'asked now; this is the history that it knows' : 'this is the history that it was told last',
    silent: 'knows nothing of this history yet',
    other: side === 'parent' ? 'asked now; IT KNOWS ANOTHER HISTORY of this server' : 'IT WAS TOLD ANOTHER HISTORY than stands here',
  }
  return `${name}: ${said[witness.is]}`
}

const WHY: Record<DisagreementReason, string> = {
  other: 'The history says something else.',
  changed: 'The history says the same, but was changed there after it was written: this entry, or one that was written with it.',
  forged: 'The history says the same, but its signature is wrong: the server or laptop that it names did not write this.',
  taken_out: 'Its entry was taken out of the history.',
  misplaced: 'The changes in the history lead to another value than the one in the table.',
  gone: 'It should be here and is not, and nobody deleted it.',
  unwritten: 'It stands in the table, and nobody wrote it.',
  swapped: 'Its file was replaced by another one: its content does not match what its row says.',
}

function disagreementText({ what, why, here, history, by }: DescribedDisagreement): string[] {
  const whoAndWhen = by && `${by.person}, ${shortMoment(by.at)}${by.node ? `, at ${by.node}` : ''}`
  const facts: [string, string][] = [
    ...(here === null ? [] : [['Here:', here] as [string, string]]),
    ...(history === null ? [] : [['History:', history] as [string, string]]),
    ...(whoAndWhen === null ? [] : [[history === null ? 'Written:' : '', whoAndWhen] as [string, string]]),
    ['Why:', WHY[why]],
  ]
  return told(what, facts)
}

function wrongText({ kind, node, at, about }: DescribedFault): string[] {
  const when = at === null ? '' : ` of ${shortMoment(at)}`
  const what =
    kind === 'chain'
      ? `The history that this server wrote does not follow on${when === '' ? '' : `, at its entries${when}`}: something was changed, taken out or put in.`
      : `Entries${when} are not as ${node ?? 'the server or laptop that wrote them'} signed them.`
  const facts = about.map((each, place): [string, string] => [place === 0 ? 'About:' : '', each])
  return told(what, facts)
}

/** A title, and its facts below it. */
const told = (what: string, facts: readonly (readonly [string, string])[]): string[] =>
  [...wrap(what, ROOM), ...factLines(facts, ROOM)].map((line) => INDENT + line)

/** The conclusion about all schools, and what to do. */
export function verdictText(all: readonly DescribedAudit[]): string[] {
  const sum = (count: (each: DescribedAudit) => number) => all.reduce((total, each) => total + count(each), 0)
  const untold = sum(({ marks, others }) => marks.untold + others.untold)
  const isWell = !all.some(isBad)
  const text = [...(isWell ? ['Nothing here is contradicted by the history.'] : [RED, WHAT_TO_DO]), ...(untold > 0 ? [UNTOLD] : [])]
  return text.flatMap((each) => wrap(each, WIDTH))
}

const RED = 'SOMEBODY MUST LOOK: what stands here, or its history, was changed outside Markbook, or some days of work were lost.'
const WHAT_TO_DO =
  'What to do: keep everything as it is now (markbook backup), and correct nothing yet. Compare the marks named above with the paper, and ask whoever wrote them. Then enter what is right in the app: the history has it from there on. Where another server knows another history, restore nothing by hand; markbook sync verify says what differs. Find out who can write to the database file or the server.'
const UNTOLD =
  'Without history is no fault: the history here has no entry of these writes. They came with a first copy, were numbered anew after a restore, or are from before Markbook wrote all of it down.'

/** The transaction with a printed head; else the last restore; null where there is neither. */
type HeadFound = { name: string | null; at: string; node: string | null } | Restored | null

/** Whether the history here contains a printed code, and what to do where it does not. */
export function headText(found: HeadFound): string[] {
  if (found && 'name' in found)
    return [
      `The history of ${found.name ?? 'a school'} contains it: it stood there on ${shortMoment(found.at)}${found.node ? `, at ${found.node}` : ''}.`,
      'So nothing that was written until then was taken out or changed there, if markbook audit finds that the history is as it was written. Run it now.',
    ]
  const restored =
    found &&
    `A backup${found.from ? ` of ${shortMoment(found.from)}` : ''} was restored here on ${shortMoment(found.at)}. If the document was made between the two, that is why.`
  return [
    'NO HISTORY HERE CONTAINS IT.',
    ...(restored ? [restored] : []),
    'If the document was made at another server or on a laptop, ask there, or wait until it has sent what it has. If the code was typed wrongly, type it again: it has 16 letters and digits, and no 0, 1, 8 or 9.',
    'Otherwise this database was put back, or its history was changed, since the document was made. Keep everything as it is (markbook backup), and compare the marks with the paper in your hand: it says what stood here then. Then run markbook audit.',
  ]
}
