import { setTimeout as pause } from 'node:timers/promises'
import { type Bench, least, most } from '../bench-row.ts'
import { startProgram } from '../processes.ts'
import type { Drive, Driven } from '../programs/saturation.ts'
import { bulkRequests, get } from '../requests.ts'
import { benchSchool } from '../school.ts'
import { serveSchool } from '../school-server.ts'
import { median } from '../statistics.ts'

const SECONDS = 5
const RECOVERY = 5_000

/** A morning: who am I, the class, marks. */
const mixture = (cookie: string) => {
  const group = benchSchool('year').markedNow[0]?.group.id
  return bulkRequests('year', cookie, 300).flatMap((bulk) => [
    get('/api/auth/me', cookie),
    get(`/api/classes/${group}/students`, cookie),
    bulk,
  ])
}

/**
 * Its own peak is the control: as many requests as 48 connections get through, against three times as many a second, sent whether those
 * before were answered or not, on as many connections as the server takes. By CPU too, because other programs share the machine.
 */
export const saturation: Bench = async ({ pairs }) => {
  const ours = await serveSchool('year')
  const loader = await startProgram('saturation')
  const requests = mixture(ours.cookies.teacher)
  const drive = async (more: Pick<Drive, 'connections' | 'perSecond'>) => {
    const before = await ours.program.usage()
    const drive: Drive = { port: ours.program.port, requests, seconds: SECONDS, ...more }
    const driven = await loader.ask<Driven>('drive', drive)
    const { cpuMicros } = await ours.program.usage()
    return { ...driven, perCpu: driven.served / ((cpuMicros - before.cpuMicros) / 1_000_000) }
  }
  const quiet = () => drive({ connections: 8, perSecond: 20 })
  await drive({ connections: 16, perSecond: null })
  type Round = Record<'idle' | 'peak' | 'beyond' | 'after', Driven & { perCpu: number }>
  const rounds: Round[] = []
  for (let pair = 0; pair < pairs; pair += 1) {
    const idle = await quiet()
    const peak = await drive({ connections: 48, perSecond: null })
    const beyond = await drive({ connections: 1_600, perSecond: 3 * peak.good })
    await pause(RECOVERY)
    rounds.push({ idle, peak, beyond, after: await quiet() })
  }
  const of = (figure: (round: Round) => number) => median(rounds.map(figure))
  const whole = (value: number) => value.toFixed(0)
  return [
    {
      what: 'served at three times saturation',
      control: 'its own peak, by requests for its CPU',
      target: least(0.8),
      measured: of(({ beyond, peak }) => beyond.perCpu / peak.perCpu),
      figure: `${whole(of(({ beyond }) => beyond.good))} / ${whole(of(({ peak }) => peak.good))} a second (${of(({ beyond, peak }) => beyond.good / peak.good).toFixed(2)} ×), ${whole(of(({ beyond }) => beyond.refused))} refused; answered in ${whole(of(({ beyond }) => beyond.p50))} ms, p99 ${whole(of(({ beyond }) => beyond.p99))} ms`,
    },
    {
      what: 'p99 of a quiet minute, 5 s after that',
      control: 'the same before',
      target: most(5),
      measured: of(({ after, idle }) => after.p99 / idle.p99),
      figure: `${of(({ after }) => after.p99).toFixed(1)} / ${of(({ idle }) => idle.p99).toFixed(1)} ms; ${whole(of(({ beyond }) => beyond.other))} other answers`,
    },
  ]
}
