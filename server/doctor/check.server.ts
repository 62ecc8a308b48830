import { type Finding, fine, notice, problem } from './finding.ts'
import { moment } from './words.ts'

/** Whether a server runs. `ours`: it answers where its note says; `silent`: its note is there and its process lives, but it does not answer. */
export type ServerFound = {
  state: 'ours' | 'silent' | 'another' | 'ended' | 'none'
  dataDir: string
  url: string | null
  since: number | null
}
export type PortFound = { port: number; host: string; state: 'free' | 'ours' | 'taken' | 'forbidden' | 'no address'; by: string | null }

export function checkServer({ state, dataDir, url, since }: ServerFound): Finding[] {
  if (state === 'ours') return [fine('server', `The server is running: ${url}${since === null ? '' : `, since ${moment(since)}`}.`)]
  if (state === 'silent')
    return [
      problem('server', {
        what: `The server runs, but does not answer at ${url}.`,
        means: 'Nobody can read or enter marks; what was saved is safe.',
        do: 'Look into its log, then start it again: sudo systemctl restart markbook',
      }),
    ]
  if (state === 'another')
    return [
      problem('server', {
        what: `Another program of Markbook holds the folder ${dataDir}: a second server, or a restore that is under way.`,
        means: 'The marks are safe; only one server at a time may use a folder, so a start is refused.',
        do: 'Find the other one and stop it, or give this server a DATA_DIR of its own.',
      }),
    ]
  if (state === 'ended')
    return [
      notice('server', {
        what: `The server is not running, and ended without being stopped${since === null ? '' : ` (it was started at ${moment(since)})`}.`,
        means: 'What was saved is on the disk; a power cut ends it like that too.',
        do: 'Start it again: markbook start, or sudo systemctl start markbook',
      }),
    ]
  return [
    notice('server', {
      what: 'The server is not running.',
      means: 'The marks are safe; nobody can read or enter them until it is started.',
      do: 'Start it: markbook start, or sudo systemctl start markbook',
    }),
  ]
}

export function checkPort({ port, host, state, by }: PortFound): Finding[] {
  const means = 'The server cannot start, so nobody can enter marks; the marks themselves are not concerned.'
  if (state === 'taken')
    return [
      problem('port', {
        what: `Port ${port} is taken by ${by ?? 'another program'}.`,
        means,
        do: `Stop that program, or choose another port with PORT=${port < 65_535 ? port + 1 : 3000}.`,
      }),
    ]
  if (state === 'forbidden')
    return [
      problem('port', {
        what: `This account may not open port ${port}.`,
        means,
        do: 'Choose a port of 1024 or more (PORT=3000), or install the service, which may.',
      }),
    ]
  if (state === 'no address')
    return [
      problem('port', { what: `This machine has no address ${host} (HOST).`, means, do: 'Take HOST out of the settings, or correct it.' }),
    ]
  return [fine('port', state === 'ours' ? `Port ${port} is open, and our own server answers there.` : `Port ${port} is free.`)]
}
