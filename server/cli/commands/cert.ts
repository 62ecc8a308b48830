import { chmodSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { systemClock } from '@markbook/shared/clock'
import { type Command, InvalidArgumentError } from 'commander'
import { readCertificates, removeAuthority } from '../../lan/authority.ts'
import { type CertificateSummary, type Pair, summaryOf, toDer } from '../../lan/certificate.ts'
import { readOperatorCertificate } from '../../lan/operator-certificate.ts'
import { certificatesHere } from '../../lan/tls.ts'
import { addCommand } from '../help.ts'
import { configureWithoutSecret, lookAtConfig } from '../settings/environment.ts'
import { day } from '../words.ts'

export function certCommand(program: Command) {
  const cert = addCommand(
    program,
    'cert',
    'the certificates of this school: show, renew, export',
    {
      about: `A server that starts with --lan makes and renews them by itself; a running one takes up a new one within
half a minute. docs/operators-guide/network.md says how each kind of device is told to trust the authority.`,
      examples: [
        'markbook cert show',
        'markbook cert export --to /media/usb',
        'markbook cert export --to school.crt',
        'markbook cert renew',
      ],
      exits: { 0: 'done', 1: 'there is nothing to show or to renew, and one clear line says why' },
    },
    'afterAll',
  )
  cert.command('show').description('print the certificates, their names, ends and fingerprints').action(showAll)
  cert
    .command('renew')
    .description('make the certificate of this server anew, for its present names and addresses')
    .option('--authority', 'make a new authority too: every device must then be told again to trust it')
    .action(renew)
  cert
    .command('export')
    .description('write the certificate of the authority, for devices to trust: .crt for Windows, Android and Chromebooks, and .pem')
    .option('--to <path>', 'a folder, or a file that ends with .crt or .pem', pathFrom, '.')
    .action(exportAuthority)
  return cert
}

const NONE = 'This school has no certificates yet. The first  markbook start --lan  makes them.'

const pathFrom = (value: string) => {
  if (value === '') throw new InvalidArgumentError('Say a folder or a file.')
  return resolve(value)
}

function showAll() {
  const { dataDir, tls } = lookAtConfig()
  if (typeof tls === 'object')
    return console.log(described('The certificate of TLS_CERT_FILE', summaryOf(readOperatorCertificate(tls, systemClock.now()))))
  const { authority, server } = readCertificates(dataDir)
  if (!authority) throw new Error(NONE)
  console.log(described('The authority of this school', summaryOf(authority)))
  if (server) console.log(`\n${described('The certificate of this server', summaryOf(server))}`)
}

function described(title: string, { subject, names, from, until, fingerprint }: CertificateSummary): string {
  const left = Math.floor((until - systemClock.now()) / 86_400_000)
  const lines = [`${title}: ${subject}`, `  From ${day(from)} to ${day(until)} (${left} days left)`, `  SHA-256 ${fingerprint}`]
  return names.length > 0 ? [...lines, `  For ${names.join(', ')}`].join('\n') : lines.join('\n')
}

async function renew({ authority = false }: { authority?: boolean }) {
  const config = configureWithoutSecret({ LAN: 'true' })
  if (typeof config.tls === 'object') throw new Error('The certificate comes from TLS_CERT_FILE: renew it where it was made.')
  if (authority) removeAuthority(config.dataDir, systemClock.now())
  const kept = await certificatesHere(config, { now: systemClock.now(), anew: true })
  for (const note of kept.notes) console.log(note)
  console.log(described('It', summaryOf(kept.server)))
}

function exportAuthority({ to }: { to: string }) {
  const { authority } = readCertificates(lookAtConfig().dataDir)
  if (!authority) throw new Error(NONE)
  const isFolder = statSync(to, { throwIfNoEntry: false })?.isDirectory() ?? false
  const files = isFolder ? ['crt', 'pem'].map((kind) => join(to, `markbook-authority.${kind}`)) : [to]
  for (const file of files) {
    writeFileSync(file, contentsFor(file, authority))
    chmodSync(file, 0o644)
  }
  console.log(`Wrote ${files.join(' and ')}.\nOn each device, compare this SHA-256 fingerprint:\n  ${summaryOf(authority).fingerprint}`)
}

/** The certificate, PEM or DER by the name of the file; never the private key. */
const contentsFor = (file: string, authority: Pair) => (file.endsWith('.pem') ? authority.cert : toDer(authority))
