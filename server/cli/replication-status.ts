import type { SyncStatus } from '@markbook/shared/contract/replication.rows'
import type { Row } from '@markbook/shared/tables/tables'
import { readNote } from '../lan/running-note.ts'
import { parentsOf } from '../replication/identity/enrolment.ts'
import type { UpstreamStatus } from '../replication/upstream/upstream-status.ts'
import type { Store } from '../store/store.ts'
import { asSystem } from '../store/tx.ts'
import { askServer, figureIn, obstacleIn, replicationIn } from './ask-server.ts'

/** The state of replication, from the metrics of the running server, which alone has it; null where none runs. `now` in ms. */
export async function courseOf(store: Store, dataDir: string, now: number): Promise<UpstreamStatus | null> {
  const note = readNote(dataDir)
  const figures = note ? ((await askServer(note.url, '/metrics'))?.text ?? '') : ''
  const state = replicationIn(figures)
  if (!state) return null
  const parents = await store.read(asSystem(), parentsOf)
  const parent = parents[figureIn(figures, 'markbook_sync_parent_place') - 1] ?? parents[0] ?? null
  return {
    parent,
    notice: state === 'sending' ? 'connected' : (state as UpstreamStatus['notice']),
    reason: null,
    since: now,
    obstacle: obstacleIn(figures),
  }
}

/** The sentence about a server that has joined another and has no school yet. */
export function joinedSaid({ name, user_id }: Row<'sync_peer'>, course: UpstreamStatus | null): { sentence: string; isWell: boolean } {
  const joined = `This ${user_id === null ? 'server' : 'laptop'} has joined ${name}, and has nothing from there yet.`
  if (!course) return { sentence: `${joined} It copies when it is started: markbook start`, isWell: false }
  const isWell = course.notice === 'connected' || course.notice === 'up_to_date'
  return {
    sentence: `${joined} ${isWell ? 'It copies now.' : 'It copies once it reaches it: markbook doctor says what is in the way.'}`,
    isWell,
  }
}

/** The lines of one school, and whether nobody has to look at it. */
type SchoolLines = { lines: readonly string[]; isWell: boolean }
/** Of more schools than these, those that are well are only counted. */
const LISTED = 10

/** The lines of all schools; those that somebody has to look at are last, where they are seen. */
export function linesOfSchools(schools: readonly SchoolLines[], all: boolean): string[] {
  const linesOf = (isWell: boolean) => schools.filter((school) => school.isWell === isWell).flatMap(({ lines }) => lines)
  const well = schools.filter(({ isWell }) => isWell).length
  if (all || schools.length <= LISTED || well === 0) return [...linesOf(true), ...linesOf(false)]
  const counted = `${well} of ${schools.length} schools have nothing to look at. Each of them: markbook sync status --all`
  return [counted, ...linesOf(false)]
}

/** The sentence of a status; where no server runs here, a sentence that says so, since then nothing is sent. */
export const sentenceHere = ({ parent, waiting, sentence }: SyncStatus, course: UpstreamStatus | null): string => {
  if (!parent || course) return sentence
  const rows = waiting === 0 ? '' : ` ${waiting === 1 ? '1 change waits' : `${waiting} changes wait`} to be sent.`
  return `The server here is not running, so nothing goes to ${parent.name} or comes from it (markbook start).${rows}`
}
