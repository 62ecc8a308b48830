import { serve } from '@hono/node-server'
import { readConfig } from '@markbook/server/config'
import { elan, frame, termLayout } from '@markbook/server/documents/report-card/report-card.fixtures'
import { openNode } from '@markbook/server/start'

/** The whole service, which draws the report cards of a class and writes a workbook over and over while it is told to. */
const [folder = '', secret = ''] = process.argv.slice(2)
const { app, services } = await openNode(readConfig({ DATA_DIR: folder, SESSION_SECRET: secret, BACKUPS: 'false' }))
const cards = Array.from({ length: 40 }, (_, at) => ({ ...elan, id: String(at) }))
const heads = ['Last name', 'First name', 'Score'].map((head) => ({ head, key: head, width: 14, kind: 'text' as const }))
const rows = Array.from({ length: 5_000 }, (_, at) => ({ cells: { 'Last name': `Ó Briain ${at}`, 'First name': 'Élan', Score: at } }))
const workbook = { madeAt: 0, sheets: [{ name: 'Marks', columns: heads, rows, frozen: { rows: 1, columns: 0 } }] }

let isAsked = false
let made = 0
async function make() {
  while (isAsked) {
    await services.papers.reportCards({ ...frame, layout: termLayout, cards })
    await services.papers.workbook(workbook)
    made += 1
  }
}

process.on('message', async (asked: { draw?: boolean }) => {
  if (asked.draw === undefined) return
  isAsked = asked.draw
  // The worker starts before anything is measured.
  if (isAsked) await services.papers.reportCards({ ...frame, layout: termLayout, cards })
  if (isAsked) void make()
  process.send?.({ drawing: made })
})
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => process.send?.({ port }))
