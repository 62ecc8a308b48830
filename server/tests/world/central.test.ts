import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

/** One short world whose centre should be on Postgres, on a machine that has none. */
function livedWithout(ci: string): { exit: number | null; text: string } {
  const asked = ['--seeds', '1', '--events', '5', '--central', '1', '--jobs', '1']
  const env = { ...process.env, TEST_POSTGRES: 'none', CI: ci }
  const { status, stdout } = spawnSync(process.execPath, ['--import', 'tsx', 'server/tests/world/cli.ts', ...asked], {
    env,
    encoding: 'utf8',
  })
  return { exit: status, text: stdout }
}

const skipped = '1 of the 1 worlds should have their centre on it, and have it on SQLite instead: that much is not proved.'

test.skipIf(process.env['TEST_DATABASE'] === 'postgres')(
  'worlds without the Postgres that they should have: a person is told, CI fails',
  {
    timeout: 120_000,
  },
  () => {
    const byHand = livedWithout('')
    expect(byHand).toMatchObject({ exit: 0, text: expect.stringContaining(skipped) })
    expect(byHand.text).toContain(', none of the 1 on Postgres that should be: 0 failing')
    const inCi = livedWithout('true')
    expect(inCi).toMatchObject({ exit: 1, text: expect.stringContaining(skipped) })
    expect(inCi.text).toContain('In CI (the variable CI is set) that is a failure.')
    expect(inCi.text).not.toContain('0 failing')
  },
)
