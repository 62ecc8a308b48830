import { setTimeout } from 'node:timers/promises'
import { toInstant } from '@markbook/shared/clock'
import { reportFailures } from '@markbook/shared/contract/reports'
import { isLocked } from '@markbook/shared/domain/report-moves'
import { Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import type { JobFailure } from '@markbook/shared/tables/jobs'
import type { Row } from '@markbook/shared/tables/tables'
import { and, eq } from 'drizzle-orm'
import type { MadeCard } from '../../documents/papers.ts'
import type { StoredObject } from '../../files/storage.ts'
import type { Services } from '../../http/services.ts'
import { asSystem } from '../../store/tx.ts'
import { cardsInput, type GatheredCards, gatherCards } from '../reports/files/gather-cards.ts'
import { keepPdf, paperSize, recordPdf } from '../reports/files/keep.ts'
import { archiveUrl } from '../reports/files/names.ts'
import { periodOf } from '../reports/files/report-files.policy.ts'
import { booksById } from '../reports/reports.queries.ts'
import { jobById } from './jobs.queries.ts'

type Job = Row<'job'>
type Own = Omit<Services, 'jobs'>
type Working = { runner: string; signal: AbortSignal; tell: () => void }

/** Somebody else has the job now, or it is gone: whoever held it stops and says nothing. */
export class LeaseLost extends Error {}

const GONE = 'This report was deleted, or is of another class now.'
/** The workers may be busy with what people wait for. */
const BUSY = { tries: 60, pauseMs: 2_000 }

/**
 * Makes the PDFs of the reports that are still ahead, one after the other: each is stored, then its row and the step of the job are
 * written in one transaction, so that an interrupted job goes on where it stands. Answers where the result is had.
 */
export async function makeReportPdfs(services: Own, job: Job, working: Working): Promise<string> {
  const { student_group_id, term_id, report_type } = job.input
  const ahead = job.input.reports.slice(job.done)
  const gathered = await gatherAhead(services, job, ahead)
  const drawn = gathered ? drawing(services, gathered, working.signal) : null
  for (const id of ahead) {
    const made = (await drawn?.(id)) ?? { message: GONE }
    if (working.signal.aborted) break
    await step(services, job, working, { id, ...made })
    working.tell()
  }
  return archiveUrl(student_group_id, term_id, report_type)
}

/** What the cards need, of those reports that are there and may still be given a PDF; null where there are none. */
const gatherAhead = ({ store }: Own, { school_id, input }: Job, ids: readonly string[]): Promise<GatheredCards | null> =>
  store.read(asSystem(), async (tx) => {
    const books = await booksById(tx, { school: school_id, ids: JSON.stringify(ids) })
    const free = books.filter(({ status, student_group_id }) => !isLocked(status) && student_group_id === input.student_group_id)
    const [first] = free
    return first ? gatherCards(tx, await periodOf(tx, first), free, paperSize(input.paper)) : null
  })

type Drawn = { bytes: Uint8Array } | { message: string } | undefined

/** Draws all cards and hands each out as soon as it is there; undefined for a card that was not asked for. */
function drawing({ papers, files }: Own, gathered: GatheredCards, signal: AbortSignal): (id: string) => Promise<Drawn> {
  const asked = new Set(gathered.cards.cards.map(({ id }) => id))
  const byId = new Map<string, Drawn>()
  const waiting = new Map<string, (drawn: Drawn) => void>()
  const arrived = (id: string, drawn: Drawn) => {
    const hand = waiting.get(id)
    if (hand) hand(drawn)
    else byId.set(id, drawn)
  }
  const onCard = ({ id, bytes }: MadeCard) => arrived(id, { bytes })
  const all = cardsInput(gathered, files).then((input) => patiently(() => papers.reportCards(input, { onCard, signal }), signal))
  const ended = all.then(({ failures }) => {
    for (const { id, message } of failures) arrived(id, { message })
  })
  // Whoever waits for a card hears of it; nobody may be waiting yet.
  ended.catch(() => {})
  return async (id) => {
    if (!asked.has(id)) return undefined
    const drawn =
      byId.get(id) ?? (await Promise.race([new Promise<Drawn>((resolve) => waiting.set(id, resolve)), ended.then(() => byId.get(id))]))
    byId.delete(id)
    return drawn
  }
}

async function patiently<T>(attempt: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'busy' || tries >= BUSY.tries) throw error
    }
    await setTimeout(BUSY.pauseMs, undefined, { signal })
  }
}

type Made = { id: string } & ({ bytes: Uint8Array } | { message: string })

async function step(services: Own, job: Job, working: Working, made: Made): Promise<void> {
  const object = 'bytes' in made ? await keepPdf(services, made.id, made.bytes) : null
  await services.store.write(asSystem(job.created_by), async (tx) => {
    const [now] = await jobById(tx, { school: job.school_id, id: job.id })
    if (now?.runner !== working.runner) throw new LeaseLost()
    const book = await tx.find('report_book', job.school_id, made.id)
    const failure = await recorded(made, book, object, (found, stored) => recordPdf(tx, found, stored))
    await tx.local
      .update(tx.t.job)
      .set({
        done: now.done + 1,
        failures: failure ? [...now.failures, failure] : now.failures,
        leased_until: toInstant(tx.nowMs + limits.jobs.lease),
      })
      .where(and(eq(tx.t.job.school_id, job.school_id), eq(tx.t.job.id, job.id)))
  })
}

/** The sentence for a report that gets no PDF, or null once its row is written. */
async function recorded(
  made: Made,
  book: Row<'report_book'> | undefined,
  object: StoredObject | null,
  record: (book: Row<'report_book'>, object: StoredObject) => Promise<unknown>,
): Promise<JobFailure | null> {
  if (!book) return { id: made.id, message: GONE }
  if (isLocked(book.status)) return { id: made.id, message: reportFailures.locked().message }
  if (!object) return { id: made.id, message: 'message' in made ? made.message : GONE }
  try {
    await record(book, object)
    return null
  } catch (error) {
    if (error instanceof Failure) return { id: made.id, message: error.message }
    throw error
  }
}
