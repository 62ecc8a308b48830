import { limits } from '@markbook/shared/limits'
import type { HistoryEntry } from '@markbook/sync/protocol/entries'
import { and, between, eq, isNotNull, min } from 'drizzle-orm'
import { incarnations } from '../../store/node.ts'
import { type Break, brokenLinks } from '../../store/soundness/soundness.ts'
import { statement } from '../../store/statement.ts'
import type { Store } from '../../store/store.ts'
import { asSystem, type ReadTx } from '../../store/tx.ts'
import { entryColumns, keysOf, partOf, verdictsOn } from '../journal/signed-history.ts'

/** `seq`: in this database's feed; `source_id`: the node from which the entry came, null where this database wrote it. */
export type Stored = HistoryEntry & { seq: number; source_id: string | null }
type Placed = Pick<Stored, 'seq' | 'source_id' | 'node_id' | 'node_seq' | 'head'>

/**
 * A transaction of the history that is not as it was written. `chain`: of this database, whose chain does not follow there or (`at` null)
 * ends otherwise than it should. `signature`: of another node, which did not sign it so. `entries`: some of those that stand there.
 */
export type HistoryFault = {
  kind: 'chain' | 'signature'
  node: string | null
  at: string | null
  entries: readonly Pick<HistoryEntry, 'entity' | 'row_id' | 'actor_id' | 'action'>[]
}

/**
 * Whether an entry counts. It does as `own`: the chain of this database has it; and as `signed`: its node signed it. `unsigned`: no node
 * that is known here signed it, as of a laptop that meets another server, or before history was signed. It does not as `broken`: the own
 * chain does not hold there; and as `forged`: its node did not sign it so.
 */
export type Trust = 'own' | 'signed' | 'unsigned' | 'broken' | 'forged'

/** Facts about the history of a school, or of people. `own`: the numbers of this database; `known`: those whose key is known here. */
type Given = {
  own: ReadonlySet<string>
  current: string
  known: ReadonlySet<string>
  /** By number: the counter from which on entries tell all that a write said (`whole`), and are signed (`signed`). */
  whole: ReadonlyMap<string, number>
  signed: ReadonlyMap<string, number>
  end: { seq: number; head: string }
  /** This database has always written under one number and met nobody: no write of its own was stamped anew, or made without an entry. */
  isAlone: boolean
}

const NAMED_ENTRIES = 3

/** Which entries of a history count as evidence. */
export class HistoryEvidence {
  readonly wrong: HistoryFault[] = []
  wrongCount = 0
  private readonly broken = new Set<number>()
  private readonly gaps: { after: number; upTo: number }[] = []
  private readonly forged = new Set<string>()
  /** From these feed numbers on no entry counts: more is wrong than is remembered. */
  private readonly beyond = { own: Number.MAX_SAFE_INTEGER, others: Number.MAX_SAFE_INTEGER }

  private constructor(private readonly given: Given) {}

  /**
   * Reads the whole history page by page; other work runs between two pages. `reads` gets each page of what this database wrote, `tell` the
   * share that is done. In a database that was always alone every number has an entry: one without was taken out, also where the chain was
   * computed anew.
   */
  static async read(
    store: Store,
    { school, secret }: { school: string; secret: string },
    reads: (tx: ReadTx, own: readonly Stored[]) => Promise<void>,
    tell: (share: number) => void,
  ): Promise<HistoryEvidence> {
    const evidence = new HistoryEvidence(await store.read(asSystem(), (tx) => givenIn(tx, school, secret)))
    const { end } = evidence.given
    const missing: Break[] = []
    let next = 1
    const page = (from: number, to: number) =>
      store.read(asSystem(), async (tx) => {
        const entries = (await entriesBetween(tx, { school, from, to })) as Stored[]
        const own = entries.filter((entry) => evidence.isOwn(entry))
        await reads(tx, own)
        if (evidence.given.isAlone)
          for (const seq of [...new Set(own.map((entry) => entry.seq)), to + 1].sort((a, b) => a - b)) {
            if (seq > next && missing.length < limits.audit.rememberedFaults) missing.push({ after: next - 1, seq: seq - 1 })
            next = Math.min(seq, to) + 1
          }
        await evidence.verify(tx, { school, secret }, entries)
        for (const { seq } of own.filter((entry) => entry.node_seq !== entry.seq)) evidence.breakAt({ after: seq, seq })
        tell(to / end.seq)
        return own
      })
    for (const each of await brokenLinks(page, end)) evidence.breakAt(each)
    for (const each of missing) if (!evidence.isInGap(each.after + 1)) evidence.breakAt(each)
    await store.read(asSystem(), (tx) => evidence.nameBreaks(tx, school))
    return evidence
  }

  trustIn(entry: Placed): Trust {
    const { seq, node_id, node_seq } = entry
    if (this.isOwn(entry)) return this.broken.has(seq) || seq >= this.beyond.own ? 'broken' : 'own'
    if (seq >= this.beyond.others || this.forged.has(partOf(entry))) return 'forged'
    return this.given.known.has(node_id) && node_seq >= (this.given.signed.get(node_id) ?? Number.MAX_SAFE_INTEGER) ? 'signed' : 'unsigned'
  }

  /** Whether the program that wrote the entry told all that a write said. */
  isWhole = ({ node_id, node_seq }: Placed): boolean => node_seq >= (this.given.whole.get(node_id) ?? Number.MAX_SAFE_INTEGER)

  /** Whether the entry of an own write of this database, which is not here, was taken out. */
  isTakenOut = (node: string, counter: number): boolean => this.given.own.has(node) && (this.given.isAlone || this.isInGap(counter))

  private isInGap = (counter: number): boolean => this.gaps.some(({ after, upTo }) => counter > after && counter <= upTo)

  /**
   * Whether a database may have written twice under this number: in days that it lost when it was put back, and after that until it
   * noticed. Under the present number this database has noticed nothing.
   */
  mayBeTwofold = (node: string): boolean => node !== this.given.current

  private isOwn = ({ source_id, node_id }: Placed): boolean => source_id === null && this.given.own.has(node_id)

  private breakAt({ after, seq }: Break): void {
    this.wrongCount += 1
    if (this.gaps.length >= limits.audit.rememberedFaults) {
      this.beyond.own = Math.min(this.beyond.own, seq ?? after)
      return
    }
    this.gaps.push({ after, upTo: seq ?? Number.MAX_SAFE_INTEGER })
    if (seq !== null) this.broken.add(seq)
  }

  private async nameBreaks(tx: ReadTx, school: string): Promise<void> {
    for (const { after, upTo } of this.gaps.slice(0, limits.audit.listedDifferences)) {
      const at = upTo === Number.MAX_SAFE_INTEGER ? after : upTo
      const entries = ((await entriesBetween(tx, { school, from: at, to: at })) as Stored[]).filter((entry) => this.isOwn(entry))
      this.wrong.push({ kind: 'chain', node: null, at: entries[0]?.at ?? null, entries: entries.slice(0, NAMED_ENTRIES) })
    }
  }

  /** Verifies the entries of other nodes, and those of this one that others told. */
  private async verify(tx: ReadTx, { school, secret }: { school: string; secret: string }, entries: readonly Stored[]): Promise<void> {
    const others = entries.filter((entry) => !this.isOwn(entry))
    const verdicts = await verdictsOn(tx, school, secret, others, partOf)
    const firsts = new Map([...others].reverse().map((entry) => [partOf(entry), entry]))
    for (const [part, first] of firsts) {
      const verdict = verdicts.get(part)
      const isMissing = verdict === 'none' && this.trustIn(first) === 'signed'
      if (verdict !== 'forged' && !isMissing) continue
      this.wrongCount += 1
      const own = others.filter((entry) => partOf(entry) === part)
      if (this.forged.size < limits.audit.rememberedFaults) this.forged.add(part)
      else this.beyond.others = Math.min(this.beyond.others, first.seq)
      if (this.wrong.length < limits.audit.listedDifferences)
        this.wrong.push({ kind: 'signature', node: first.node_id, at: first.at, entries: own.slice(0, NAMED_ENTRIES) })
    }
  }
}

const entriesBetween = statement<{ school: string; from: number; to: number }>()(({ db, t: { history }, p }) =>
  db
    .select(entryColumns(history))
    .from(history)
    .where(and(eq(history.school_id, p.school), between(history.seq, p.from, p.to))),
)

async function givenIn(tx: ReadTx, school: string, secret: string): Promise<Given> {
  const [whole, signed] = [await firstWith(tx, school, 'detail'), await firstWith(tx, school, 'proof')]
  const own = await incarnations(tx)
  const known = await keysOf(tx, school, secret, [...signed.keys(), ...own])
  const { seq, head } = await tx.dialect.feedOf(tx.connection, school)
  const isAlone = own.length === 1 && (await tx.db.$count(tx.t.sync_peer)) === 0
  const certain = [...known].filter(([, key]) => !key.isGuess).map(([node]) => node)
  return { own: new Set(own), current: own[0] as string, known: new Set(certain), whole, signed, end: { seq, head }, isAlone }
}

/** By number, its first counter with an entry that has this column. */
async function firstWith(tx: ReadTx, school: string, column: 'detail' | 'proof'): Promise<Map<string, number>> {
  const { history } = tx.t
  const rows = await tx.db
    .select({ node: history.node_id, first: min(history.node_seq) })
    .from(history)
    .where(and(eq(history.school_id, school), isNotNull(history[column])))
    .groupBy(history.node_id)
  return new Map(rows.map(({ node, first }) => [node, Number(first)]))
}
