import { useSyncExternalStore } from 'react'
import { Listeners } from '../../api/listeners.ts'
import { useProfile } from '../../api/session.ts'
import { readStored, writeStored } from '../../components/browser-storage.ts'
import { putOffIn, withPutOff } from './waiting.ts'

const changes = new Listeners()
/** Where the browser blocks its storage, what is put aside stays so as long as the page does. */
const written = new Map<string, string>()
/** What was brought back since the page was loaded: it is shown even where it would say nothing new. */
const broughtBack = new Set<string>()

/** What this person has put aside in this browser. */
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
