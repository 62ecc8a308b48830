import { setTimeout } from 'node:timers/promises'
import { jobReasons } from '@markbook/shared/contract/jobs'
import { reportFailures } from '@markbook/shared/contract/reports'
import { isLocked } from '@markbook/shared/domain/report-moves'
import { Failure } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import type { MadeCard } from '../../../documents/documents.ts'
import type { StoredObject } from '../../../files/storage.ts'
import type { Services } from '../../../http/services.ts'
import { asSystem, type WriteTx } from '../../../store/tx.ts'
import { type JobWork, jobFailure, type Reason, type Step } from '../../jobs/jobs.policy.ts'
import { demandAsDrawn } from '../approval.ts'
import { booksById } from '../reports.queries.ts'
import { archiveUrl } from './names.ts'
import { printingOf, recordPdf, storePdf } from './pdf-storage.ts'
import { cardsInput, type ReportCardData, readReportCards } from './report-card-data.ts'
import { periodOf } from './report-files.policy.ts'

type Job = Row<'job'>
type Own = Omit<Services, 'jobs'>

const GONE = { reason: jobReasons.reportGone }
/** How often a card is drawn again after its report was changed meanwhile. */
const REDRAWN = 3
/** Retries while the workers are busy with people's requests. */
const BUSY = { tries: 60, pauseMs: 2_000 }

/**
 * Makes the remaining PDFs of a job, one after the other. Each is stored, then its row and the job's step are written in one transaction,
 * so that an interrupted job continues where it stopped. Returns the URL of the result.
 */
export const makeReportPdfs: JobWork = async (services, job, { step, signal }) => {
  const { student_group_id, term_id, report_type } = job.input
  const ahead = job.input.reports.slice(job.done)
  const gathered = await readRemaining(services, job, ahead)
  const drawn = gathered ? drawing(services, gathered, signal) : null
  for (const id of ahead) {
    let made = (await drawn?.(id)) ?? GONE
    for (let redrawn = 0; !signal.aborted; redrawn += 1) {
      const isRecorded = await record(services, job, step, { id, ...made }, redrawn < REDRAWN)
      if (isRecorded) break
      const anew = await readRemaining(services, job, [id])
      made = (anew && (await drawing(services, anew, signal)(id))) ?? GONE
    }
    if (signal.aborted) break
  }
  return archiveUrl(student_group_id, term_id, report_type)
}

/** The data of the cards, for reports that exist and may still get a PDF; null where there are none. */
const readRemaining = ({ store }: Own, { school_id, input }: Job, ids: readonly string[]): Promise<ReportCardData | null> =>
  store.read(asSystem(), async (tx) => {
    const books = await booksById(tx, { school: school_id, ids: JSON.stringify(ids) })
    const free = books.filter(({ status, student_group_id }) => !isLocked(status) && student_group_id === input.student_group_id)
    const [first] = free
    return first ? readReportCards(tx, await periodOf(tx, first), free, printingOf(input)) : null
  })

/** `said`: the hash of the drawn content (`paperHashOf`). */
type Drawn = { bytes: Uint8Array; said: string | undefined } | { reason: Reason } | undefined

/** Draws all cards, and provides each as soon as it is finished; undefined for a card that was not requested. */
function drawing({ documents, files }: Own, gathered: ReportCardData, signal: AbortSignal): (id: string) => Promise<Drawn> {
  const input = new Set(gathered.cards.cards.map(({ id }) => id))
  const byId = new Map<string, Drawn>()
  const waiting = new Map<string, (drawn: Drawn) => void>()
  const arrived = (id: string, drawn: Drawn) => {
    const hand = waiting.get(id)
    if (hand) hand(drawn)
    else byId.set(id, drawn)
  }
  const onCard = ({ id, bytes }: MadeCard) => arrived(id, { bytes, said: gathered.contents.get(id) })
  const all = cardsInput(gathered, files).then((input) =>
    patiently(() => documents.reportCards(input, { school: gathered.head.schoolId, onCard, signal }), signal),
  )
  const ended = all.then(({ failures }) => {
    for (const { id, message } of failures) arrived(id, { reason: { code: jobReasons.notDrawn.code, message } })
  })
  // A waiting reader gets the error; this prevents an unhandled rejection where nobody waits yet.
  ended.catch(() => {})
  return async (id) => {
    if (!input.has(id)) return undefined
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

type Made = { id: string } & NonNullable<Drawn>
type Stored = { object: StoredObject; said: string | undefined } | { reason: Reason }

const isChanged = (error: unknown) => error instanceof Failure && error.code === reportFailures.changedWhileDrawn().code

/** Returns false, and writes nothing, where the report was changed since it was drawn and may be drawn once more. */
async function record(services: Own, job: Job, step: Step, made: Made, mayDrawAgain: boolean): Promise<boolean> {
  const { id } = made
  const stored = 'bytes' in made ? { object: await storePdf(services, id, made.bytes), said: made.said } : made
  try {
    await step(async (tx) => {
      const reason = await recorded(tx, await tx.find('report_book', job.school_id, id), stored, mayDrawAgain)
      return reason && jobFailure(id, reason)
    })
    return true
  } catch (error) {
    if (isChanged(error)) return false
    throw error
  }
}

/** The reason where a report gets no PDF, or null once its row is written. */
async function recorded(tx: WriteTx, book: Row<'report_book'> | undefined, stored: Stored, mayDrawAgain: boolean): Promise<Reason | null> {
  if (!book) return GONE.reason
  if (isLocked(book.status)) return reportFailures.locked()
  if ('reason' in stored) return stored.reason
  try {
    await demandAsDrawn(tx, book, stored.said)
    await recordPdf(tx, book, stored.object)
    return null
  } catch (error) {
    if (error instanceof Failure && !(mayDrawAgain && isChanged(error))) return error
    throw error
  }
}
