import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'

/** A port whose next one is free as well, for the school. */
const twoPorts = async (): Promise<number> => {
  const free = (port: number) =>
    new Promise<number>((resolve, reject) => {
      const server = createServer().once('error', reject)
      server.listen(port, () => {
        const { port: own } = server.address() as { port: number }
        server.close(() => resolve(own))
      })
    })
  for (;;) {
    const first = await free(0)
    if (
      await free(first + 1).then(
        () => true,
        () => false,
      )
    )
      return first
  }
}

test.skipIf(process.env['TEST_DATABASE'] === 'postgres')(
  'npm run demo:sync: both ends and their app, two marks over a cut line, and they meet',
  { timeout: 180_000 },
  async () => {
    const port = await twoPorts()
    const env = { ...process.env, PORT: String(port), NODE_ENV: 'production' }
    const demo = spawn(process.execPath, ['scripts/demo-sync.mjs'], { env, stdio: ['pipe', 'pipe', 'inherit'] })
    let said = ''
    demo.stdout.on('data', (text: Buffer) => {
      said += text
    })
    const says = async (pattern: RegExp) => {
      await expect.poll(() => said, { timeout: 120_000 }).toMatch(pattern)
      said = ''
    }
    const type = (line: string) => demo.stdin.write(`${line}\n`)
    const ended = new Promise<number | null>((resolve) => demo.on('exit', resolve))
    try {
      await says(/school {2}Zoë has 71 {3}Everything is at the centre/)
      for (const at of [port, port + 1]) expect(await (await fetch(`http://localhost:${at}/`)).text()).toMatch(/^<!doctype html>/)
      type('c')
      await says(/line is cut/)
      type('1 80')
      await says(/entered 80 at the school/)
      type('2 65')
      await says(/entered 65 at the centre/)
      type('c')
      await says(/line is mended/)
      const looking = setInterval(() => type('s'), 1_000)
      await says(/80 from St Brigid’s did not stand, 65 does.*80 from St Brigid’s did not stand, 65 does/s)
      clearInterval(looking)
      type('k')
      await says(/Decided/)
      type('q')
      expect(await ended).toBe(0)
    } finally {
      demo.kill('SIGKILL')
    }
  },
)
