import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { request as askPlainly } from 'node:http'
import { request as askSecurely } from 'node:https'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { connect, type DetailedPeerCertificate, rootCertificates } from 'node:tls'
import { createGunzip } from 'node:zlib'
import { limits } from '@markbook/shared/limits'
import { writeAtomically } from '../../atomic-write.ts'
import { tlsFolder } from '../../lan/authority.ts'
import { makeFolder } from '../../make-folder.ts'

/** The certificate authority of a parent that a person of this computer compared and trusts, beside those that everybody trusts. */
export type Authority = { pem: string; fingerprint: string }

/** Where it is kept. */
export const authorityFile = (dataDir: string) => join(tlsFolder(dataDir), 'parent.pem')

export const trustedAuthority = (dataDir: string): string | null =>
  existsSync(authorityFile(dataDir)) ? readFileSync(authorityFile(dataDir), 'utf8') : null

export function trustAuthority(dataDir: string, { pem }: Pick<Authority, 'pem'>): void {
  makeFolder(tlsFolder(dataDir), 0o700)
  writeAtomically(authorityFile(dataDir), pem)
}

/**
 * The authority that the server at an address shows as its own (null for none), where its certificate is not trusted here. Undefined where
 * it is trusted, where nobody answers, and for any other trouble. Showing an authority does not make it trusted.
 */
export function untrustedAt(address: URL, authority: string | null): Promise<Authority | null | undefined> {
  if (address.protocol !== 'https:') return Promise.resolve(undefined)
  const host = address.hostname.replace(/^\[|\]$/g, '')
  const named = isIP(host) ? {} : { servername: host }
  return new Promise((resolve) => {
    const options = { host, port: Number(address.port || 443), ca: trusted(authority), rejectUnauthorized: false, ...named }
    const socket = connect(options, () => {
      const isUnknown = NOT_KNOWN.includes(String(socket.authorizationError))
      resolve(isUnknown ? topOf(socket.getPeerCertificate(true)) : undefined)
      socket.destroy()
    })
    socket.setTimeout(limits.connection.firstByteTimeoutMs, () => socket.destroy())
    socket.once('error', () => resolve(undefined))
    socket.once('close', () => resolve(undefined))
  })
}

function topOf(shown: DetailedPeerCertificate): Authority | null {
  let top = shown
  while (top.issuerCertificate && top.issuerCertificate !== top) top = top.issuerCertificate
  return top.raw ? authorityFrom(top.raw) : null
}

/** The certificate of an authority, as a file or a server shows it; null where it is none, or not signed by itself. */
export function authorityFrom(shown: Buffer): Authority | null {
  try {
    const certificate = new X509Certificate(shown)
    if (!certificate.ca || !certificate.checkIssued(certificate)) return null
    return { pem: certificate.toString(), fingerprint: certificate.fingerprint256 }
  } catch {
    return null
  }
}

const NOT_KNOWN = [
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
]

const trusted = (authority: string | null) => (authority ? [...rootCertificates, authority] : [...rootCertificates])

/**
 * Like `fetch`, which cannot be told to trust one more authority for one request, and which says nothing for long where a connection is
 * taken and closed at once, as by a proxy whose server is away.
 */
export async function fetchTrusting(request: Request, authority: string | null, signal: AbortSignal): Promise<Response> {
  const body = Buffer.from(await request.arrayBuffer())
  return ask(request, body, authority, signal).catch((error: unknown) => {
    // The server may close a kept connection just when it is used again.
    if (error instanceof Stale) return ask(request, body, authority, signal)
    throw error
  })
}

class Stale extends Error {}

function ask({ url, method, headers: own }: Request, body: Buffer, authority: string | null, signal: AbortSignal): Promise<Response> {
  const headers = { ...Object.fromEntries(own), 'content-length': String(body.length), 'accept-encoding': 'gzip' }
  const begin = url.startsWith('https:') ? askSecurely : askPlainly
  return new Promise((resolve, reject) => {
    const asked = begin(url, { method, headers, signal, ...(authority && { ca: trusted(authority) }) }, (reply) => {
      const isPacked = reply.headers['content-encoding'] === 'gzip'
      // `pipeline` breaks the unpacked stream off when the connection breaks.
      const plain = isPacked ? pipeline(reply, createGunzip(), () => {}) : reply
      const fields = Object.entries(reply.headers).filter(([name]) => name !== 'content-encoding' && name !== 'content-length')
      const hasBody = ![204, 205, 304].includes(reply.statusCode ?? 0)
      if (!hasBody) reply.resume()
      const stream = hasBody ? (Readable.toWeb(plain) as ReadableStream<Uint8Array>) : null
      resolve(new Response(stream, { status: reply.statusCode ?? 502, headers: fields.map(([name, value]) => [name, String(value)]) }))
    })
    asked.once('error', (error: NodeJS.ErrnoException) => reject(asked.reusedSocket && error.code === 'ECONNRESET' ? new Stale() : error))
    asked.end(body)
  })
}
