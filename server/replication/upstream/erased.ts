import { limits } from '@markbook/shared/limits'
import type { Services } from '../../http/services.ts'
import { repeatedly } from '../../repeatedly.ts'
import { asSystem } from '../../store/tx.ts'
import { readWipeNote, writeWipeNote } from '../identity/wipe-note.ts'
import { overNetwork } from '../line/network.ts'
import { type Carrier, LineFailure, sendErasedReport } from '../line/parent-line.ts'

type Here = Pick<Services, 'config' | 'log'>

/** Reports to the parent that this laptop is erased, where that is still to be done. Returns whether nothing is left to report. */
export async function reportErased({ config, log }: Here, given?: Carrier): Promise<boolean> {
  const note = readWipeNote(config.dataDir)
  if (!note?.lastWord) return true
  const patience = new AbortController().signal
  try {
    await sendErasedReport(note.lastWord, given ?? overNetwork(patience, () => note.authority))
  } catch (error) {
    const isRefused = error instanceof LineFailure && error.means !== 'line'
    log.info({ err: error, parent: note.by }, 'what was erased here could not be acknowledged')
    // A signed refusal is final: the parent has heard the report before, or was restored and does not know the order.
    if (!isRefused) return false
  }
  writeWipeNote(config.dataDir, { ...note, lastWord: null, authority: null })
  return true
}
/** Repeats the report once a minute until it succeeds, while the server runs. */
export function keepReportingErased(here: Here): { stop(): Promise<void> } {
  const reporting = repeatedly(
    async () => {
      if (await reportErased(here)) void reporting.stop()
    },
    { first: 0, every: limits.sync.erasedReportEveryMs },
  )
  return reporting
}

/** The server that had this laptop erased, and when, as long as nobody has begun on it anew; undefined elsewhere. */
export async function erasedHere({ store, wiped }: Pick<Services, 'store' | 'wiped'>): Promise<{ by: string; at: string } | undefined> {
  if (!wiped) return undefined
  const people = await store.read(asSystem(), (tx) => tx.db.$count(tx.t.user_profile))
  return people === 0 ? { by: wiped.by, at: wiped.at } : undefined
}
