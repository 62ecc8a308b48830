import { defineConfig } from 'drizzle-kit'

/** `DIALECT=sqlite|postgresql`; `npm run generate` runs it for both. */
const dialect = process.env['DIALECT'] === 'postgresql' ? 'postgresql' : 'sqlite'
const room = dialect === 'postgresql' ? 'postgres' : 'sqlite'

export default defineConfig({
  dialect,
  schema: './scripts/drizzle-schema.cjs',
  out: `./server/store/migrations/${room}`,
  ...(dialect === 'postgresql' ? { schemaFilter: ['public', 'student', 'staff', 'grading', 'reporting', 'sync'] } : {}),
})
