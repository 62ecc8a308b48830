import { serve } from '@hono/node-server'
import { readConfig } from '@markbook/server/config'
import { elan, frame, termLayout } from '@markbook/server/documents/report-card/report-card.fixtures'
import { openNode } from '@markbook/server/start'
import { serveCommands } from '../program.ts'

/** The whole service, which on command draws report cards of a class and writes workbooks all the time. */
const [folder = '', secret = ''] = process.argv.slice(2)
const { app, services } = await openNode(readConfig({ DATA_DIR: folder, SESSION_SECRET: secret, BACKUPS: 'false' }))
const cards = Array.from({ length: 40 }, (_, at) => ({ ...elan, id: String(at) }))
const heads = ['Last name', 'First name', 'Score'].map((head) => ({ head, key: head, width: 14, kind: 'text' as const }))
const rows = Array.from({ length: 5_000 }, (_, at) => ({ cells: { 'Last name': `Ó Briain ${at}`, 'First name': 'Élan', Score: at } }))
const workbook = { madeAt: 0, sheets: [{ name: 'Marks', columns: heads, rows, frozenColumns: 0 }] }

const drawCards = () => services.documents.reportCards({ ...frame, layout: termLayout, cards }, { school: 'one' })

let isDrawing = false
async function make() {
  while (isDrawing) {
    await drawCards()
    await services.documents.workbook(workbook, { school: 'one' })
  }
}

/** Starts to draw, and returns once the worker runs; or stops. */
async function draw(begin: boolean): Promise<void> {
  isDrawing = begin
  if (!begin) return
  await drawCards()
  void make()
}

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => serveCommands({ draw }, port))
