import { limits } from '@markbook/shared/limits'
import { type Finding, fine, notice, problem } from './finding.ts'
import { day, lasting, moment } from './words.ts'

/**
 * What tells the time. Times in ms since 1970. `newestMark`: the newest entry of the history; `newestFile`: the newest file of ours;
 * `others`: what other servers said, and how long their answer was under way; `synchronised`: whether the machine follows a clock of
 * the network, null where that cannot be known.
 */
export type Times = {
  now: number
  zone: string
  newestMark: number | null
  newestFile: { path: string; at: number } | null
  others: readonly { name: string; at: number; underWay: number }[]
  synchronised: boolean | null
}

/** The first version was made in 2026: no clock that is right says less. */
const OLDEST = Date.parse('2026-01-01T00:00:00Z')
const LATEST = Date.parse('2100-01-01T00:00:00Z')
const { clockSlack, clockOff, clockFar, longSilence } = limits.doctor

const MEANS = 'Marks are written down with a wrong time, certificates and sign-in codes are refused, and backups are kept in a wrong order.'
const DO = 'Set the date and time of this machine (on Linux: sudo timedatectl set-ntp true), and replace its battery if this comes again.'

export function checkClock(times: Times): Finding[] {
  const wrong = isAbsurd(times) ?? againstOthers(times) ?? againstOwn(times)
  const { now, zone, synchronised, newestMark } = times
  if (wrong) return [problem('clock', { what: wrong, means: MEANS, do: DO })]
  const found: Finding[] = []
  if (synchronised === false)
    found.push(
      notice('clock', {
        what: 'The clock of this machine follows no clock of the network.',
        means: 'It drifts by some seconds a week; after some minutes the codes of authenticator apps are refused.',
        do: 'Where there is internet: sudo timedatectl set-ntp true; elsewhere compare it with a telephone once a month.',
      }),
    )
  if (newestMark !== null && now - newestMark > longSilence)
    found.push(
      notice('clock', {
        what: `Nothing was written for ${lasting(now - newestMark)}: the last was on ${day(newestMark)}.`,
        means: 'After a long holiday that is as it should be; otherwise the clock has jumped ahead.',
        do: `Compare with a telephone: this machine says that it is ${moment(now)}.`,
      }),
    )
  if (/^(Etc\/)?(UTC|GMT|Unknown)?$/.test(zone))
    found.push(
      notice('clock', {
        what: `The time zone of this machine is ${zone || 'not set'}.`,
        means: 'Marks are not concerned; the nightly backup and the times that this program prints follow that zone.',
        do: 'Unless it is yours: sudo timedatectl set-timezone Africa/Accra (with your own), then start the server again.',
      }),
    )
  return found.length > 0 ? found : [fine('clock', `The clock says ${moment(now)} (${zone}), and nothing speaks against it.`)]
}

const isAbsurd = ({ now }: Times) =>
  now < OLDEST || now > LATEST ? `The clock says that it is ${new Date(now).getUTCFullYear()}, which cannot be.` : null

/** A second is lost in the header, and an answer was made somewhere between the asking and its coming. */
function againstOthers({ now, others }: Times): string | null {
  for (const { name, at, underWay } of others) {
    const off = now - at
    if (Math.abs(off) > clockOff + underWay) return `The clock is ${lasting(off)} ${off > 0 ? 'ahead of' : 'behind'} that of ${name}.`
  }
  return null
}

function againstOwn({ now, newestMark, newestFile }: Times): string | null {
  if (newestMark !== null && newestMark - now > clockSlack)
    return `The clock is behind: it says ${moment(now)}, but the newest entry was written at ${moment(newestMark)}.`
  if (newestFile && newestFile.at - now > clockFar)
    return `The clock is behind: it says ${moment(now)}, but ${newestFile.path} was written at ${moment(newestFile.at)}.`
  return null
}
