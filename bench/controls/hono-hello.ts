import { serve } from '@hono/node-server'
import { Hono } from 'hono'

const app = new Hono().get('/api/hello', (c) => c.json({ message: 'hello' }))
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => process.send?.({ port }))
