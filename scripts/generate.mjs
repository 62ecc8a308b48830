// Makes the next migration of both databases from shared/tables: `npm run generate -- name_of_change`. Raises the version of the schema
// where the columns of replicated tables changed; `--check` fails where that was not done.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { sqliteTables } from '@markbook/shared/tables/sqlite'
import { descriptions } from '@markbook/shared/tables/tables'
import { getTableColumns } from 'drizzle-orm'
import { withoutMissingColumns } from './rebuilt-tables.ts'

const versionFile = 'shared/tables/schema-version.ts'
const recorded = readFileSync(versionFile, 'utf8')
const columns = Object.keys(descriptions)
  .sort()
  .map((table) => [
    table,
    Object.entries(getTableColumns(sqliteTables[table]))
      .map(([name, column]) => `${name} ${column.getSQLType()}`)
      .sort(),
  ])
const digest = createHash('sha256').update(JSON.stringify(columns)).digest('hex')
const isCurrent = recorded.includes(digest)

if (process.argv[2] === '--check') {
  if (!isCurrent) console.error(`The columns of replicated tables changed and ${versionFile} did not: npm run generate -- name_of_change`)
  process.exit(isCurrent ? 0 : 1)
}

const name = process.argv[2]
if (!name) {
  console.error('Give the migration a name: npm run generate -- add_student_house')
  process.exit(1)
}
for (const dialect of ['sqlite', 'postgresql']) {
  const { status } = spawnSync('npx', ['drizzle-kit', 'generate', '--name', name], {
    stdio: 'inherit',
    env: { ...process.env, DIALECT: dialect },
  })
  if (status !== 0) process.exit(status ?? 1)
}
const folder = 'server/store/migrations/sqlite'
const [newest, earlier] = readdirSync(folder)
  .filter((entry) => entry.endsWith('.sql'))
  .sort()
  .reverse()
if (newest && earlier) {
  const snapshotOf = (file) => JSON.parse(readFileSync(`${folder}/meta/${file.slice(0, 4)}_snapshot.json`, 'utf8'))
  const copied = withoutMissingColumns(readFileSync(`${folder}/${newest}`, 'utf8'), snapshotOf(earlier), snapshotOf(newest))
  // drizzle-kit cannot write STRICT; without it a SQLite table accepts text in a number column.
  writeFileSync(`${folder}/${newest}`, copied.replace(/(CREATE TABLE [^;]*\n\));/g, '$1 STRICT;'))
}
if (!isCurrent) {
  const raised = recorded.replace(/(SCHEMA_VERSION = )(\d+)/, (_, name, version) => `${name}${Number(version) + 1}`)
  writeFileSync(versionFile, raised.replace(/(Digest of the columns: ).*/, `$1${digest}`))
  console.log(`\nThe columns of replicated tables changed, so ${versionFile} was raised. Next: npm run vectors, npm run openapi`)
}
