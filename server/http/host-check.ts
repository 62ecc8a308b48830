import type { IncomingMessage, RequestListener } from 'node:http'
import { common, type Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import type { Config } from '../config.ts'
import { hostIn } from '../network/addresses.ts'
import { clientAddress, trustOf } from '../network/client-address.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { IsOwnHost } from './own-hosts.ts'
import { API_VERSION, announcedBytes, badRequest, LAST, refuse } from './refuse.ts'
import { recordMisdirected } from './request-log.ts'

/** These paths reveal only that a server is running, and load balancers call them under any address. */
const OF_ANY_HOST = ['/healthz', '/readyz']

/**
 * Why a request is not for this server; null where it is. A page of another site can point its own name at this server's address (DNS
 * rebinding) and then has the same origin; only the host named in the request shows the difference. X-Forwarded-Host is never read.
 */
function hostFault({ headers, rawHeaders, url = '', httpVersion }: IncomingMessage, isOwn: IsOwnHost): Failure | null {
  const named = rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === 'host').length
  if (named > 1 || (named === 0 && httpVersion !== '1.0')) return badRequest()
  const host = headers.host ? hostIn(headers.host) : ''
  if (host === null) return badRequest()
  if (OF_ANY_HOST.includes(url)) return null
  if (!isOwn(host)) return common.misdirectedRequest()
  // A target in absolute form, as for a proxy, takes precedence over the header.
  if (url.startsWith('/') || url === '*') return null
  const target = /^https?:\/\/([^/?#]*)/i.exec(url)?.[1]
  const asked = target === undefined ? null : hostIn(target)
  return asked === null ? badRequest() : isOwn(asked) ? null : common.misdirectedRequest()
}

type CheckServices = { config: Pick<Config, 'trustProxy'>; log: Log; metrics: Metrics }

/** Refuses requests for other hosts before reading more of them, and passes the rest to `listener`. */
export function checkHost({ config, log, metrics }: CheckServices, isOwn: IsOwnHost, listener: RequestListener): RequestListener {
  let warnedAt = Number.NEGATIVE_INFINITY
  return (incoming, outgoing) => {
    const fault = hostFault(incoming, isOwn)
    if (!fault) return listener(incoming, outgoing)
    const isLarge = announcedBytes(incoming) > limits.admission.bytesInTransit.uncounted
    const requestId = refuse(outgoing, fault, [API_VERSION, ...(isLarge ? [LAST] : [])])
    metrics.refusals.inc({ code: fault.code })
    const address = clientAddress(
      incoming.socket.remoteAddress,
      incoming.headers['x-forwarded-for']?.toString(),
      trustOf(config.trustProxy),
    )
    recordMisdirected(log, incoming, { requestId, address, failure: fault })
    const host = hostIn(incoming.headers.host ?? '')
    if (host === null || fault.status !== 421 || performance.now() - warnedAt < limits.admission.warnEveryMs) return
    warnedAt = performance.now()
    log.warn({ host: host.slice(0, 253) }, 'a request named a host that this server does not know as its own; ALLOWED_HOSTS names more')
  }
}
