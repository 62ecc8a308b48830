import type { AcademicYear } from '@markbook/shared/contract/academic-years'
import type { Term } from '@markbook/shared/contract/terms'
import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { ask } from '../api/queries.ts'

const KEPT = 'markbook.term'
const listeners = new Set<() => void>()
let chosen = read()

function read(): string | null {
  try {
    return sessionStorage.getItem(KEPT)
  } catch {
    return null
  }
}

type Holder = (choose: () => void) => boolean
const holders = new Set<Holder>()

/** A page that would lose something with the term asks first: where `holder` answers true, the choice waits for what it was given. */
export function holdTerm(holder: Holder): () => void {
  holders.add(holder)
  return () => void holders.delete(holder)
}

/** For this window: another may look at another term. */
export function chooseTerm(termId: string): void {
  if ([...holders].some((holder) => holder(() => choose(termId)))) return
  choose(termId)
}

function choose(termId: string): void {
  chosen = termId
  try {
    sessionStorage.setItem(KEPT, termId)
  } catch {
    // Then it is chosen until the page is left.
  }
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export type ChosenTerm = {
  years: readonly AcademicYear[]
  terms: readonly Term[]
  year: AcademicYear | null
  term: Term | null
  isLoading: boolean
}

/**
 * The term that the pages speak of: the one chosen above, else the one that runs today in the active year, else its last that has begun.
 * `terms` are those of `year`, in their order. Null while the school has none, or while they are on their way (`isLoading`).
 */
export function useChosenTerm(today = new Date()): ChosenTerm {
  const termId = useSyncExternalStore(subscribe, () => chosen)
  const years = useQuery(ask('academicYears', 'list'))
  const asked = useQuery({ ...ask('terms', 'get', { params: { id: termId ?? '' } }), enabled: termId !== null, retry: false })
  const list = years.data ?? []
  const year = list.find(({ id }) => id === asked.data?.academic_year_id) ?? list.find(({ is_active }) => is_active) ?? list[0] ?? null
  const terms = useQuery({ ...ask('terms', 'list', { query: { yearId: year?.id ?? '' } }), enabled: year !== null })
  const own = terms.data ?? []
  const term = own.find(({ id }) => id === termId) ?? running(own, isoDay(today))
  const isLoading = years.isLoading || terms.isLoading || asked.isLoading
  return { years: list, terms: own, year, term: isLoading ? null : term, isLoading }
}

const isoDay = (at: Date) => [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-')

function running(terms: readonly Term[], today: string): Term | null {
  const begun = terms.filter(({ start_date }) => start_date <= today)
  return begun.find(({ end_date }) => end_date >= today) ?? begun.at(-1) ?? terms[0] ?? null
}
