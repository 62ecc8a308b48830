// Writes docs/openapi.json from the contract; `--check` only says whether the file is current.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { contract } from '@markbook/shared/contract/contract'
import { openapiOf } from '@markbook/shared/contract/openapi'

const path = 'docs/openapi.json'
const current = `${JSON.stringify(openapiOf(contract), null, 2)}\n`
if (process.argv.includes('--check')) {
  if (!existsSync(path) || readFileSync(path, 'utf8') !== current) {
    console.error(`${path} is not what the contract says. Run: npm run openapi`)
    process.exit(1)
  }
} else {
  writeFileSync(path, current)
}
