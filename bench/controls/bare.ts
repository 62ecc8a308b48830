import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import Database from 'better-sqlite3'

export type Answer = (request: IncomingMessage, body: string) => string

/** Opens the school's database with the usual safe settings: WAL, and every commit written to the disk. */
export function openDatabase(folder: string): Database.Database {
  const database = new Database(`${folder}/markbook.sqlite`)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.pragma('foreign_keys = ON')
  database.pragma('cache_size = -32768')
  return database
}

/** Serves one route with plain `node:http`. */
export function serveOnly(answer: Answer): void {
  const server = createServer((request, response) => {
    const reply = (body: string) => {
      const text = answer(request, body)
      response.writeHead(200, { 'content-type': 'application/json; charset=UTF-8', 'content-length': Buffer.byteLength(text) })
      response.end(text)
    }
    if (request.method === 'GET') return reply('')
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => reply(Buffer.concat(parts).toString()))
  })
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
}
