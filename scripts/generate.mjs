// Makes the next migration of both databases from shared/tables: `npm run generate -- name_of_change`.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

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
// drizzle-kit cannot say STRICT; a SQLite table without it takes text for a number.
const folder = 'server/store/migrations/sqlite'
for (const file of readdirSync(folder).filter((entry) => entry.endsWith('.sql'))) {
  const text = readFileSync(`${folder}/${file}`, 'utf8')
  writeFileSync(`${folder}/${file}`, text.replace(/(CREATE TABLE [^;]*\n\));/g, '$1 STRICT;'))
}
