import { FailureNotice, Loading } from '../../components/page.tsx'
import { useAsking } from '../reports/approval.tsx'
import { approvalOf, RunDialog } from '../reports/book-actions.tsx'
import { type BookScope, useBooks } from '../reports/book-queries.ts'

/** Approves the report books of a class that are ready, one by one. */
export function ApproveDialog({ of, yearId }: { of: BookScope; yearId: string }) {
  const books = useBooks(of)
  const asking = useAsking()
  if (!books.data) return books.error ? <FailureNotice failure={books.error} /> : <Loading />
  return <RunDialog of={of} yearId={yearId} move={approvalOf(asking, books.data)} />
}
