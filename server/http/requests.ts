import { shortName } from '@markbook/shared/contract/scalars'
import type { Issue } from '@markbook/shared/failures'
import { common, Failure } from '@markbook/shared/failures'
import { isId } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import { z } from 'zod'
import type { Upload } from './handler.ts'
import { isDeeperThan } from './json-depth.ts'
import { oneFile, readParts } from './multipart.ts'

/** `prepared`: the result of a handler's `prepare` for the upload. */
export type ReadBody = { ok: true; value: unknown; upload?: Upload; prepared?: unknown } | { ok: false; failure: Failure }

/** Reads at most `limit` bytes, whatever length was announced; null for more. */
export async function readBytes(request: Request, limit: number): Promise<Uint8Array | null> {
  const announced = request.headers.get('content-length')
  if (Number(announced ?? 0) > limit) return null
  // The HTTP parser reads no more than was announced, and reading a stream is slower.
  if (announced !== null) return withinLimit(new Uint8Array(await request.arrayBuffer()), limit)
  if (!request.body) return new Uint8Array()
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += part.length
    if (size > limit) return null
    parts.push(part)
  }
  return Buffer.concat(parts)
}

const withinLimit = (bytes: Uint8Array, limit: number) => (bytes.length > limit ? null : bytes)

const refused = (failure: Failure): ReadBody => ({ ok: false, failure })
/** The type of a body, in lower case and without parameters; empty where there is none. */
export const mediaType = (request: Request) => (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The JSON of a request, of at most `limit` bytes; `undefined` for none. A fault is returned as a failure, which is thrown after access
 * was decided.
 */
export async function readJson(request: Request, limit: number): Promise<ReadBody> {
  const bytes = await readBytes(request, limit)
  if (!bytes) return refused(common.tooLarge({ message: `What was sent is larger than ${limit} bytes.` }))
  if (bytes.length === 0) return { ok: true, value: undefined }
  if (mediaType(request) !== 'application/json')
    return refused(common.wrongType({ message: 'This needs a body of the type application/json.' }))
  if (isDeeperThan(limits.body.jsonDepth, bytes)) return refused(common.tooDeep())
  try {
    return { ok: true, value: JSON.parse(utf8.decode(bytes)) }
  } catch {
    return refused(common.invalidJson())
  }
}

/** The file of an upload, the one part named `file`, and for an upload with a form, the fields beside it as `value`. */
export async function readMultipart(request: Request, { form, fileBytes = limits.body.importBytes }: Form): Promise<ReadBody> {
  if (mediaType(request) !== 'multipart/form-data')
    return refused(common.wrongType({ message: 'This needs a file, sent as multipart/form-data.' }))
  try {
    const { fields, file } = await readParts(request, fileBytes)
    if (!file || (!form && Object.keys(fields).length > 0)) return refused(oneFile())
    return { ok: true, value: form ? fields : undefined, upload: file }
  } catch (error) {
    if (error instanceof Failure) return refused(error)
    throw error
  }
}

type Form = { form?: unknown; fileBytes?: number }

/** Refuses malformed ids before anything is looked up (decisions §1, order of checks). */
export function checkIds(ids: Readonly<Record<string, unknown>>): void {
  const issues = Object.entries(ids)
    .filter(([, id]) => id !== undefined && id !== null && !(typeof id === 'string' && isId(id)))
    .slice(0, limits.issues.perReply)
    .map(([path]) => ({ path, message: 'must be an id: a UUID in lower case' }))
  if (issues.length > 0) throw common.malformedId({ issues })
}

/** Parses by a schema of the contract, or throws `validation_failed` with every issue. */
export function parseBy<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw common.validationFailed({ issues: issuesOf(parsed.error) })
}

/** The issues of a schema, each with the path of its field. */
export const issuesOf = ({ issues }: z.ZodError): Issue[] => issues.slice(0, limits.issues.perReply).map(toIssue)

const toIssue = (issue: z.core.$ZodIssue): Issue => ({ path: issue.path.map(shortName).join('.'), message: issue.message })

/** `limit` and `offset` of a list (decisions §1): whole numbers; all rows where neither is given. */
const WholeNumber = z
  .string()
  .regex(/^\d{1,7}$/, 'must be a whole number')
  .transform(Number)
const Page = z.object({
  limit: WholeNumber.refine((limit) => limit >= 1 && limit <= limits.page.max, `must be from 1 to ${limits.page.max}`).optional(),
  offset: WholeNumber.optional(),
})

export function pageOf(query: URLSearchParams): { limit?: number | undefined; offset: number } {
  const { limit, offset } = parseBy(Page, { limit: query.get('limit') ?? undefined, offset: query.get('offset') ?? undefined })
  return { limit, offset: offset ?? 0 }
}
