import { randomBytes } from 'node:crypto'
import type { ReportPdf } from '@markbook/shared/contract/reports'
import { draftReport } from '@markbook/shared/story/reports'
import { class3B, michaelmas } from '@markbook/shared/story/school-year'
import { form } from '../../features/reports/files/files.fixtures.ts'
import { sha256Of } from '../../files/digest.ts'
import type { Carrier } from '../../replication/line/parent-line.ts'
import { signedIn } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'

export const report = { id: draftReport.id }
export const of3B = { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term' as const }

/** A PDF by its first and last bytes, with so many others between that nothing can be guessed of. */
export const pdfOfSize = (bytes: number): Buffer<ArrayBuffer> =>
  Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(bytes), Buffer.from('\n%%EOF\n')])

export async function uploadedAt(node: School, content: Uint8Array): Promise<ReportPdf> {
  return (await signedIn(node, 'byrne')).reportFiles.uploadPdf({ params: report, body: form(content) })
}

/** What the class teacher gets at a node: the hash of the bytes, or the code of the refusal. */
export async function downloadedAt(node: School, { id }: { id: string }): Promise<string> {
  const { status, body } = await (await signedIn(node, 'byrne')).reportFiles.downloadPdf.raw({ params: { ...report, pdfId: id } })
  return status === 200 ? sha256Of(body as unknown as Uint8Array) : (body as unknown as { code: string }).code
}

/** Counts the bytes of files that a line carries each way; at so many of `cutAt` it breaks, once. */
export type Meter = { down: number; up: number; cutAt: { down: number; up: number }; requests: string[] }
export const meterWith = (cutAt: Partial<Meter['cutAt']> = {}): Meter => ({ down: 0, up: 0, cutAt: { ...NEVER, ...cutAt }, requests: [] })
const NEVER = { down: Number.POSITIVE_INFINITY, up: Number.POSITIVE_INFINITY }

const PIECE = 65_536

export function metered(carry: Carrier, meter: Meter): Carrier {
  return async (request) => {
    const { pathname } = new URL(request.url)
    const isGiven = pathname.startsWith('/storage/')
    if (!isGiven && pathname !== '/sync/files/content') return carry(request)
    meter.requests.push(`${request.method} ${request.headers.get('range') ?? request.headers.get('upload-offset') ?? 'all'}`)
    if (isGiven && request.body) {
      const piece = new Uint8Array(await request.arrayBuffer())
      const body = broken(piece, meter, 'up')
      const sent = new Request(request.url, { method: request.method, headers: request.headers, body, duplex: 'half' } as RequestInit)
      const cutAt = meter.cutAt.up
      const response = await carry(sent)
      if (meter.cutAt.up !== cutAt) throw new Error('the line broke before the answer')
      return response
    }
    const response = await carry(request)
    if (!response.body || isGiven) return response
    const body = broken(new Uint8Array(await response.arrayBuffer()), meter, 'down')
    return new Response(body, { status: response.status, headers: response.headers })
  }
}

function broken(bytes: Uint8Array, meter: Meter, way: 'up' | 'down'): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      if (meter[way] >= meter.cutAt[way]) {
        meter.cutAt[way] = Number.POSITIVE_INFINITY
        return controller.error(new Error('the line broke'))
      }
      const piece = bytes.subarray(at, at + Math.min(PIECE, meter.cutAt[way] - meter[way]))
      at += piece.length
      meter[way] += piece.length
      controller.enqueue(piece)
    },
  })
}
