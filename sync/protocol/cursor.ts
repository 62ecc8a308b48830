/**
 * How far a child has read its parent's feed, as text. Only the parent reads it; the child reads only whether it is still copying.
 * - `epoch/seq/people` in the feeds
 * - `epoch/copy/seq/people/table/after/copied` during a first copy: seq and people are where the feeds stood when it began, and reading
 *   goes on from there
 * - `epoch/history/seq/people/after` between the two: the history up to where the copy began
 *
 * Behind it stands `~digest.acknowledged.former.seal`, the checkpoint; not in a cursor that an older program wrote.
 */
export type Cursor = CursorPosition & { checkpoint?: Checkpoint | undefined }
type CursorPosition =
  | { kind: 'feed'; epoch: string; seq: number; people: number }
  | { kind: 'history'; epoch: string; seq: number; people: number; after: number }
  | { kind: 'copy'; epoch: string; seq: number; people: number; table: string; after: string; copied: number }

/**
 * What the parent knew when it wrote the cursor, by which it sees whether its database was put back since (SPEC, «Incarnations»): a digest
 * of its history up to there, the counter up to which it had the child's feed, and the number that it had before the epoch. Sealed, for
 * only the parent's own words may make it begin anew.
 */
export type Checkpoint = { digest: string; acknowledged: number; former: string; seal: string }

export function cursorToText(cursor: Cursor): string {
  const { checkpoint } = cursor
  return checkpoint
    ? `${placeToText(cursor)}~${[checkpoint.digest, checkpoint.acknowledged, checkpoint.former, checkpoint.seal].join('.')}`
    : placeToText(cursor)
}

/** The text of a cursor without its checkpoint, whose seal covers it. */
export function placeToText(cursor: Cursor): string {
  const { epoch, seq, people } = cursor
  if (cursor.kind === 'feed') return [epoch, seq, people].join('/')
  if (cursor.kind === 'history') return [epoch, 'history', seq, people, cursor.after].join('/')
  return [epoch, 'copy', seq, people, cursor.table, cursor.after, cursor.copied].join('/')
}

const FEED = /^([0-9a-f-]{36})\/(\d{1,15})\/(\d{1,15})$/
const HISTORY = /^([0-9a-f-]{36})\/history\/(\d{1,15})\/(\d{1,15})\/(\d{1,15})$/
const COPY = /^([0-9a-f-]{36})\/copy\/(\d{1,15})\/(\d{1,15})\/([a-z_]{1,63})\/([0-9a-f-]{36})\/(\d{1,12})$/

const WITH_CHECKPOINT = /^([^~]*)~([\w-]{1,32})\.(\d{1,15})\.([\w-]{1,32})\.([\w-]{1,32})$/

/** Null where the text is no cursor: the copy then begins anew, which loses nothing. */
export function textToCursor(text: string | null): Cursor | null {
  const withCheckpoint = WITH_CHECKPOINT.exec(text ?? '')
  if (!withCheckpoint) return textToPlace(text)
  const [, before, digest, acknowledged, former, seal] = withCheckpoint as unknown as [string, string, string, string, string, string]
  const place = textToPlace(before)
  return place && { ...place, checkpoint: { digest, acknowledged: Number(acknowledged), former, seal } }
}

function textToPlace(text: string | null): CursorPosition | null {
  const feed = FEED.exec(text ?? '')
  if (feed) return { kind: 'feed', epoch: feed[1] as string, seq: Number(feed[2]), people: Number(feed[3]) }
  const history = HISTORY.exec(text ?? '')
  if (history) {
    const [seq, people, after] = history.slice(2).map(Number) as [number, number, number]
    return { kind: 'history', epoch: history[1] as string, seq, people, after }
  }
  const copy = COPY.exec(text ?? '')
  if (!copy) return null
  const [, epoch, seq, people, table, after, copied] = copy as unknown as string[]
  return { kind: 'copy', epoch, seq: Number(seq), people: Number(people), table, after, copied: Number(copied) } as CursorPosition
}
