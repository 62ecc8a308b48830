/** What strace wrote down of one thread that answers requests (`-f -y -s`): reads, writes and syncs in their order. */
export type Call = { name: string; path: string; text: string; result: number }

const LINE = /^\d+ +(?:[\d.]+ )?(\w+)\(\d+<([^>]*)>(.*)\) += (-?\d+)/

/** Calls that took turns with another thread's are written in two halves; they become one, at the place of the second. */
export function callsIn(trace: string): Call[] {
  const begun = new Map<string, string>()
  const calls: Call[] = []
  for (const line of trace.split('\n')) {
    const [thread = ''] = line.split(' ')
    const half = / <unfinished \.\.\.>$/.exec(line)
    if (half) {
      begun.set(thread, line.slice(0, half.index))
      continue
    }
    const resumed = /<\.\.\. \w+ resumed>/.exec(line)
    const whole = resumed ? (begun.get(thread) ?? '') + line.slice(resumed.index + resumed[0].length) : line
    const [, name = '', path = '', text = '', result = ''] = LINE.exec(whole) ?? []
    if (name) calls.push({ name, path, text, result: Number(result) })
  }
  return calls
}

/** From the reading of one bulk to the writing of its answer. */
export type Answered = { status: number; logWrites: number; syncs: number; syncedLast: boolean }

const isSync = ({ name }: Call) => name === 'fdatasync' || name === 'fsync'
const isWrite = ({ name }: Call) => name.startsWith('write') || name.startsWith('pwrite') || name === 'sendto' || name === 'sendmsg'

/** One after the other: the requests must not overlap. `syncedLast`: nothing went to the log after its last sync that succeeded. */
export function answersIn(calls: readonly Call[]): Answered[] {
  const answers: Answered[] = []
  let current: Answered | null = null
  for (const call of calls) {
    if (call.text.includes('"POST /api/grades/bulk ')) current = { status: 0, logWrites: 0, syncs: 0, syncedLast: false }
    if (!current) continue
    const [, status] = /"HTTP\/1\.1 (\d+) /.exec(call.text) ?? []
    if (isWrite(call) && status) {
      answers.push({ ...current, status: Number(status) })
      current = null
    } else if (call.path.endsWith('-wal')) {
      if (isSync(call) && call.result === 0) Object.assign(current, { syncs: current.syncs + 1, syncedLast: true })
      if (isWrite(call)) Object.assign(current, { logWrites: current.logWrites + 1, syncedLast: false })
    }
  }
  return answers
}
