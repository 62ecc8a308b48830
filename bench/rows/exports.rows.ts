import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Bench, within } from '../bench-row.ts'
import { filledFolder, newFolder } from '../fill.ts'
import { bundle } from '../paths.ts'

/** Prints the peak memory of the process when it ends, in KiB. */
const PEAK = `data:text/javascript,process.on('exit', () => console.log('peak ' + process.resourceUsage().maxRSS))`

/** The command of a user, on five years of a large school. */
export const exports: Bench = async () => {
  const folder = newFolder()
  const began = performance.now()
  const env = { PATH: process.env['PATH'], DATA_DIR: await filledFolder('big'), MARKBOOK_CONFIG: '/dev/null' }
  const child = spawn(process.execPath, ['--import', PEAK, bundle, 'export', '--to', join(folder, 'export')], { env })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (text += part))
  await new Promise((resolve) => child.once('close', resolve))
  rmSync(folder, { recursive: true })
  const [, marks] = /([\d,]+) marks/.exec(text) ?? []
  const [, peak] = /^peak (\d+)$/m.exec(text) ?? []
  if (!marks || !peak) throw new Error(`The export did not end well: ${text}`)
  return [
    {
      what: `\`markbook export\` of ${marks} marks`,
      control: 'memory at most',
      target: within(200, 'MB'),
      measured: Number(peak) / 1_024,
      figure: `${((performance.now() - began) / 1_000).toFixed(0)} s`,
    },
  ]
}
