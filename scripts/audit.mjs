// `npm run audit`: known vulnerabilities of the packages that run at a school. Prints so and succeeds where the registry has no list of
// vulnerabilities.
import { spawnSync } from 'node:child_process'
import { root } from './install.mjs'

const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
  cwd: root,
  encoding: 'utf8',
  timeout: 60_000,
  maxBuffer: 64 * 2 ** 20,
  shell: process.platform === 'win32',
})

const reportOf = (text) => {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
const { vulnerabilities, message } = reportOf(stdout ?? '')
if (vulnerabilities === undefined) {
  console.log(`- advisories: not to be had here${message ? ` (${message})` : ''}`)
} else {
  const found = Object.values(vulnerabilities)
  const grave = found.filter(({ severity }) => severity === 'high' || severity === 'critical')
  for (const { name, severity, range } of found) console.log(`${severity}: ${name} ${range}`)
  console.log(`${grave.length > 0 ? '✗' : '✓'} advisories: ${found.length}, ${grave.length} of them high or critical`)
  process.exitCode = grave.length > 0 ? 1 : 0
}
