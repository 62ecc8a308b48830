import type { AddressInfo } from 'node:net'
import { readConfig } from '@markbook/server/config'
import { onOpen } from '@markbook/server/http/handler'
import { mount } from '@markbook/server/http/mount'
import { overloadProtection } from '@markbook/server/http/overload'
import { listen } from '@markbook/server/lan/listener'
import { openNode } from '@markbook/server/start'
import { endpoint } from '@markbook/shared/contract/endpoint'
import { z } from 'zod'

const hello = {
  hello: endpoint('GET /api/hello', 'none', 'Say hello', { reply: z.object({ message: z.string() }) }),
}

/** The whole service with one more endpoint, which does nothing, to measure the cost of the server around a handler. */
const [folder = '', secret = ''] = process.argv.slice(2)
const { app, services } = await openNode(readConfig({ DATA_DIR: folder, SESSION_SECRET: secret }))
mount(app, services, 'bench', hello, { hello: onOpen(hello.hello, async () => ({ message: 'hello' })) })
const server = await listen(app, { host: '127.0.0.1', port: 0 }, null, { protection: overloadProtection(services) })
process.send?.({ port: (server.address() as AddressInfo).port })
