import { kindsOf } from './cells.ts'
import type { Manifest } from './manifest.ts'
import { exportedTables } from './rows.ts'

const KINDS = { text: 'text', number: 'number', flag: 'true or false', json: 'JSON' }

/** What is in an export, for whoever opens it in ten years without this program. */
export function readme({ school, made_at, version, counts }: Omit<Manifest, 'parts'>, heads: Record<string, readonly string[]>): string {
  return `# Everything of ${school.name}

Made at ${made_at} by Markbook ${version}. All files are CSV: UTF-8, commas, one line of names of columns, an empty cell for what is not there. Every spreadsheet program opens them. A text that begins with = + - or @ has an apostrophe before it, so that no program takes it for a formula; it is not part of the text. Days are YYYY-MM-DD, times are UTC.

To read:

${Object.entries(heads)
  .map(([file, head]) => `- \`${file}\`: ${head.join(', ')}`)
  .join('\n')}

In \`results.csv\` the term \`year\` stands for the whole year, and a line without a subject for all subjects together. \`history.csv\` says who changed what and when, before and after.

\`files\` holds the uploaded pictures and report cards; \`export.json\` says of each what it is, and the size and SHA-256 digest of every file here.

## The tables

\`tables\` has one file for each table of the database, every column of it. A column that ends with _id names a row of another table by its \`id\`. Markbook reads them back with \`markbook import school <this folder> --as <email>\`. Sign-in apps and printed codes are not part of it: everybody sets them up anew.

${exportedTables.map((table) => `### ${table} (${counts[table] ?? 0})\n\n${columns(table)}`).join('\n\n')}
`
}

const columns = (table: (typeof exportedTables)[number]) =>
  kindsOf(table)
    .map(({ name, kind, required }) => `- \`${name}\`: ${KINDS[kind]}${required ? '' : ', may be empty'}`)
    .join('\n')
