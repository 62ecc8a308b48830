import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readConfig, readWithoutSecret } from '../../config.ts'
import { gatherSettings } from './settings-file.ts'
import { hidden, showSettings } from './shown.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'markbook-config-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const file = (name: string, text: string) => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}
/** On Windows the settings file of the machine is below ProgramData, which the test sets. */
const gather = (environment: Record<string, string> = {}) =>
  gatherSettings({ folder, environment: { ProgramData: join(folder, 'machine'), ...environment }, platform: 'win32' })

describe('where settings come from', () => {
  test('the environment has precedence over the file, and the file over the default', () => {
    const path = file('markbook.conf', 'PORT=4000\nHOST=10.0.0.1\n')
    const { settings, sources } = gather({ PORT: '5000' })
    expect(settings).toEqual({ PORT: '5000', HOST: '10.0.0.1' })
    expect(sources).toEqual({ PORT: 'the environment', HOST: path })
    expect(readConfig({ ...settings, DATA_DIR: folder })).toMatchObject({ port: 5000, host: '10.0.0.1', logLevel: 'warn' })
  })

  test('an empty value in the environment counts as not given', () => {
    file('markbook.conf', 'PORT=4000\n')
    expect(gather({ PORT: '' }).settings).toEqual({ PORT: '4000' })
  })

  test('one file is read: MARKBOOK_CONFIG, else markbook.conf, else .env, else that of the machine', () => {
    mkdirSync(join(folder, 'machine', 'Markbook'), { recursive: true })
    file('machine/Markbook/markbook.conf', 'PORT=4')
    expect(gather().settings.PORT).toBe('4')
    file('.env', 'PORT=3')
    expect(gather()).toMatchObject({ settings: { PORT: '3' }, warnings: [] })
    file('markbook.conf', 'PORT=2')
    expect(gather()).toMatchObject({
      settings: { PORT: '2' },
      warnings: [expect.stringMatching(/\.env is not read, because .*markbook\.conf/)],
    })
    expect(gather({ MARKBOOK_CONFIG: file('other.conf', 'PORT=1') }).settings.PORT).toBe('1')
    expect(() => gather({ MARKBOOK_CONFIG: join(folder, 'none') })).toThrow(/The file of MARKBOOK_CONFIG .* does not exist/)
  })

  test('quotes, comments, spaces, export, and the marks that Windows puts before and between lines', () => {
    file(
      '.env',
      '\uFEFFPORT = 4000 # the usual\r\n\r\n# HOST=1\r\nexport HOST="10.0.0.1" # here\r\nMAIL_FROM=\'A # B <a@b.example>\'\r\nSMTP_URL=smtp://u:p#x@h\r\nLOG_LEVEL=\r\n',
    )
    expect(gather()).toMatchObject({
      settings: { PORT: '4000', HOST: '10.0.0.1', MAIL_FROM: 'A # B <a@b.example>', SMTP_URL: 'smtp://u:p#x@h' },
      warnings: [],
    })
  })
})

describe('a mistake in a file gives a warning with its line', () => {
  test('for an unknown setting, with the nearest known one', () => {
    const path = file('markbook.conf', 'PROT=1\nport=2\nSTMP_URL=x\nFLAVOUR=sweet\nhello there\nPORT=3\nPORT=4')
    const { settings, warnings } = gather()
    expect(settings).toEqual({ PORT: '4' })
    expect(warnings).toEqual([
      `${path}, line 1: there is no setting PROT. Did you mean PORT?`,
      `${path}, line 2: there is no setting port. Did you mean PORT?`,
      `${path}, line 3: there is no setting STMP_URL. Did you mean SMTP_URL?`,
      `${path}, line 4: there is no setting FLAVOUR.`,
      `${path}, line 5: this is not a setting; settings are written NAME=value.`,
      `${path}, line 7: PORT is there twice; this one counts.`,
    ])
  })
})

describe('secrets in files of their own', () => {
  test.each(['SESSION_SECRET', 'SMTP_URL', 'DATABASE_URL', 'REDIS_URL', 'S3_SECRET_ACCESS_KEY'])(
    '%s_FILE names a file that holds it',
    (name) => {
      const path = file('secret', ' the secret itself, quite long enough \n')
      file('markbook.conf', `${name}=of the file`)
      const { settings, sources } = gather({ [`${name}_FILE`]: path })
      expect(settings).toEqual({ [name]: 'the secret itself, quite long enough' })
      expect(sources).toEqual({ [name]: `${path}, named by the environment` })
    },
  )

  test('a missing file, and a secret given twice, are an error in one line', () => {
    expect(() => gather({ SMTP_URL_FILE: join(folder, 'none') })).toThrow(/^The file of SMTP_URL_FILE \(.*none\) cannot be read\.$/)
    expect(() => gather({ SMTP_URL_FILE: 'a', SMTP_URL: 'b' })).toThrow(
      'The settings SMTP_URL and SMTP_URL_FILE are both there: choose one.',
    )
  })

  test('only secrets can be given as files', () => {
    file('markbook.conf', 'PORT_FILE=/etc/port')
    expect(gather().warnings[0]).toContain('there is no setting PORT_FILE')
  })
})

describe('markbook config', () => {
  test('shows every setting with its source, and no secret', () => {
    file('markbook.conf', `SESSION_SECRET=${'s3cret'.repeat(6)}\nSMTP_URL=smtps://post:hunter2@mail.example:465\n`)
    const shown = showSettings(gather({ DATABASE_URL: 'postgres://app:hunter3@db.example/m?sslpassword=hunter4', DATA_DIR: folder }))
    const text = JSON.stringify(shown)
    for (const secret of ['s3cret', 'hunter']) expect(text).not.toContain(secret)
    const byName = Object.fromEntries(shown.map(({ name, ...rest }) => [name, rest]))
    expect(byName['SMTP_URL']).toEqual({ value: 'smtps://post:***@mail.example:465', source: join(folder, 'markbook.conf') })
    expect(byName['DATABASE_URL']).toEqual({ value: 'postgres://app:***@db.example/m?sslpassword=***', source: 'the environment' })
    expect(byName['SESSION_SECRET']?.value).toBe('(hidden)')
    expect(byName['PORT']).toEqual({ value: '3000', source: 'default' })
    expect(byName['PUBLIC_URL']).toEqual({ value: 'http://localhost:3000', source: 'default' })
  })

  test('shows files in DATA_DIR without S3, and asks for all three settings of S3', () => {
    const given = { S3_ENDPOINT: 'https://s3.example', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'hunter5' }
    const { s3 } = readWithoutSecret({ ...given, DATA_DIR: folder })
    expect(s3).toEqual({
      endpoint: 'https://s3.example',
      region: 'us-east-1',
      accessKeyId: 'id',
      secretAccessKey: 'hunter5',
      bucketPrefix: 'markbook-',
    })
    expect(readWithoutSecret({ DATA_DIR: folder }).s3).toBeNull()
    expect(() => readWithoutSecret({ S3_ENDPOINT: 'https://s3.example' })).toThrow(
      'The setting S3_ENDPOINT needs S3_ACCESS_KEY_ID beside it.',
    )
    expect(() => readWithoutSecret({ ...given, S3_BUCKET_PREFIX: 'My Files' })).toThrow(
      'The setting S3_BUCKET_PREFIX must be small letters',
    )
    expect(JSON.stringify(showSettings(gather(given)))).not.toContain('hunter')
  })

  test('says the same of a wrong setting as a start does', () => {
    expect(() => showSettings(gather({ PORT: 'abc' }))).toThrow('The setting PORT must be a port number.')
  })

  test('does not change a value that is no address', () => {
    expect(hidden('MAIL_FROM', 'Markbook <a@b.example>')).toBe('Markbook <a@b.example>')
    expect(hidden('REDIS_URL', 'redis://:pw@h:1')).toBe('redis://:***@h:1')
  })
})
