import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { aoife, mathsExam } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { expect, test } from 'vitest'
import { ensureAppBuilt } from '../../../scripts/build.mjs'

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

const sentTo = async (port: number, path: string, body: object, cookie = '') => {
  const headers = { 'content-type': 'application/json', cookie }
  const answer = await fetch(`http://localhost:${port}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return answer
}

/** As somebody does in the app, who was let in by the code that the page fills in. */
async function enterAoife(port: number, score: number): Promise<void> {
  const email = people.ada.email
  const { code } = (await (await sentTo(port, '/api/demo/code', { email })).json()) as { code: string }
  const signedIn = await sentTo(port, '/api/auth/otp/verify', { email, token: code })
  const cookie = signedIn.headers.getSetCookie().map((each) => each.split(';')[0])
  const body = { assessmentId: mathsExam.id, grades: [{ studentId: aoife.id, score }] }
  await sentTo(port, '/api/grades/bulk', body, cookie.join('; '))
}

test.skipIf(process.env['TEST_DATABASE'] === 'postgres')(
  'npm run demo:sync: both ends and their app, two marks over a cut line, and they meet',
  { timeout: 180_000 },
  async () => {
    await ensureAppBuilt()
    const port = await twoPorts()
    const env = { ...process.env, PORT: String(port), NODE_ENV: 'production' }
    const demo = spawn(process.execPath, ['--import', 'tsx', 'server/cli/demo/two-servers.ts'], { env, stdio: ['pipe', 'pipe', 'inherit'] })
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
      await says(/Christmas exam in maths, in the term Michaelmas.*school {2}Zoë has 71 {3}Everything is at the centre/s)
      for (const at of [port, port + 1]) expect(await (await fetch(`http://localhost:${at}/`)).text()).toMatch(/^<!doctype html>/)
      type('c')
      await says(/line is cut/)
      type('1 80')
      await says(/entered 80 at the school/)
      type('2 65')
      await says(/entered 65 at the centre/)
      await enterAoife(port + 1, 41)
      await enterAoife(port, 42)
      type('c')
      await says(/line is mended/)
      const looking = setInterval(() => type('s'), 1_000)
      await says(/decide: 80 from St Brigid’s did not stand, 65 does.*decide: 80 from St Brigid’s did not stand, 65 does/s)
      await says(/in a browser: Murphy Aoife · Christmas exam.*: 41 from St Brigid’s did not stand, 42 does/)
      clearInterval(looking)
      type('k')
      await says(/Decided: Zoë has 80 now; .*\n {2}To be decided in a browser: Murphy Aoife · Christmas exam/)
      type('w')
      await says(/Of Zoë’s mark there is nothing to decide\.\n {2}To be decided in a browser: Murphy Aoife/)
      type('q')
      expect(await ended).toBe(0)
    } finally {
      demo.kill('SIGKILL')
    }
  },
)
