import type { AcademicYear } from '@markbook/shared/contract/academic-years'
import type { Term } from '@markbook/shared/contract/terms'
import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { Listeners } from '../api/listeners.ts'
import { ask, queryClient } from '../api/queries.ts'
import { readStored, writeStored } from '../components/browser-storage.ts'
import { localDay } from '../words/format.ts'

const STORAGE_KEY = 'markbook.term'
const listeners = new Listeners()
let chosen = readStored(STORAGE_KEY, 'sessionStorage')

type TermChangeGuard = (choose: () => void) => boolean
const guards = new Set<TermChangeGuard>()

/**
 * Sets the guard of a page with unsaved input, and returns a function that removes it. Where `guard` returns true, a change of term waits
 * until the guard calls `choose`.
 */
export function guardTermChange(guard: TermChangeGuard): () => void {
  guards.add(guard)
  return () => void guards.delete(guard)
}

/** Chooses a term, for this window only. */
export function chooseTerm(termId: string): void {
  if ([...guards].some((guard) => guard(() => choose(termId)))) return
  choose(termId)
}

/** Chooses in this year the current term, else the last one that has begun, else the first. False where the year has no terms. */
export async function chooseYear(yearId: string): Promise<boolean> {
  const term = termOf(await queryClient.fetchQuery(ask('terms', 'list', { query: { yearId } })), null)
  if (term) chooseTerm(term.id)
  return term !== null
}

/** Clears the choice: the window shows the current year, like a new one. */
export const chooseNothing = (): void => choose(null)

function choose(termId: string | null): void {
  chosen = termId
  writeStored(STORAGE_KEY, termId, 'sessionStorage')
  listeners.notify()
}

export type ChosenTerm = {
  years: readonly AcademicYear[]
  terms: readonly Term[]
  year: AcademicYear | null
  term: Term | null
  isLoading: boolean
}

/**
 * The term that the pages show: the chosen one, else the current term of the active year, else the last one that has begun. `terms`: those
 * of `year`, in order. Null where the school has none, or while they are loading (`isLoading`).
 */
export function useChosenTerm(): ChosenTerm {
  const termId = useSyncExternalStore(listeners.add, () => chosen)
  const years = useQuery(ask('academicYears', 'list'))
  const chosenTerm = useQuery({
    ...ask('terms', 'get', { params: { id: termId ?? '' } }),
    enabled: termId !== null,
    retry: false,
    // A term of a list is shown at once: otherwise page and choice would be removed until the reply.
    placeholderData: () => listedTerm(termId),
  })
  const list = years.data ?? []
  const year = yearOf(list, chosenTerm.data)
  const terms = useQuery({ ...ask('terms', 'list', { query: { yearId: year?.id ?? '' } }), enabled: year !== null })
  const ofYear = terms.data ?? []
  const term = termOf(ofYear, termId)
  // Not while a failed request is repeated: the page would be removed, and its return would repeat the request without end.
  const isLoading = [years, terms, chosenTerm].some((query) => query.isLoading && !query.isFetched)
  return { years: list, terms: ofYear, year, term: isLoading ? null : term, isLoading }
}

/** A term of the lists that are already loaded. */
const listedTerm = (termId: string | null): Term | undefined =>
  queryClient
    .getQueriesData<Term[]>({ queryKey: ['terms', 'list'] })
    .flatMap(([, terms = []]) => terms)
    .find(({ id }) => id === termId)

/** The same from data that is already loaded, to prefetch for a page. */
export function knownTerm(): { yearId: string | undefined; termId: string | undefined } {
  const years = queryClient.getQueryData(ask('academicYears', 'list').queryKey)
  const term = chosen === null ? undefined : queryClient.getQueryData(ask('terms', 'get', { params: { id: chosen } }).queryKey)
  const year = yearOf(years ?? [], term)
  const terms = year ? queryClient.getQueryData(ask('terms', 'list', { query: { yearId: year.id } }).queryKey) : undefined
  return { yearId: year?.id, termId: termOf(terms ?? [], chosen)?.id }
}

const yearOf = (years: readonly AcademicYear[], chosenTerm: Term | undefined): AcademicYear | null =>
  years.find(({ id }) => id === chosenTerm?.academic_year_id) ?? years.find(({ is_active }) => is_active) ?? years[0] ?? null
const termOf = (terms: readonly Term[], termId: string | null): Term | null =>
  terms.find(({ id }) => id === termId) ?? currentTerm(terms, localDay(new Date()))

function currentTerm(terms: readonly Term[], today: string): Term | null {
  const begun = terms.filter(({ start_date }) => start_date <= today)
  return begun.find(({ end_date }) => end_date >= today) ?? begun.at(-1) ?? terms[0] ?? null
}
