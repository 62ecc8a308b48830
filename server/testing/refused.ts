import type { RawReply } from '@markbook/shared/contract/client'
import { expect } from 'vitest'
import type { School } from './school.ts'

/** Status and code of a refusal; checks that it changed nothing. */
export async function refused(st: School, call: () => Promise<RawReply>): Promise<{ status: number; code: string | undefined }> {
  const before = await st.digest()
  const { status, body } = await call()
  expect(await st.digest()).toBe(before)
  return { status, code: (body as { code?: string }).code }
}
