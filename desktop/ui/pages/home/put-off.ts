import { useSyncExternalStore } from 'react'
import { Listeners } from '../../api/listeners.ts'
import { useProfile } from '../../api/session.ts'
import { readStored, writeStored } from '../../components/browser-storage.ts'
import { putOffIn, withPutOff } from './waiting.ts'

const changes = new Listeners()
/** Where the browser blocks storage, what was hidden stays so until the page is closed. */
const written = new Map<string, string>()
/** What was shown again since the page was loaded, which is then shown in any case. */
const broughtBack = new Set<string>()

/** The lines that this person has hidden in this browser, and functions that hide one or show it again. */
export function usePutOff() {
  const { id } = useProfile()
  const storageKey = `markbook.put-off.${id}`
  const text = useSyncExternalStore(changes.add, () => written.get(storageKey) ?? readStored(storageKey))
  const write = (keys: readonly string[]) => {
    const next = JSON.stringify(keys)
    written.set(storageKey, next)
    writeStored(storageKey, next)
    changes.notify()
  }
  const keys = putOffIn(text)
  return {
    isPutOff: (key: string) => keys.includes(key),
    wasBroughtBack: (key: string) => broughtBack.has(`${id} ${key}`),
    putOff: (key: string) => {
      broughtBack.delete(`${id} ${key}`)
      write(withPutOff(keys, key))
    },
    bringBack: (key: string) => {
      broughtBack.add(`${id} ${key}`)
      write(keys.filter((one) => one !== key))
    },
  }
}
