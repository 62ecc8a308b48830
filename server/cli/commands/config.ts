import type { Command } from 'commander'
import { addCommand } from '../help.ts'
import { gather } from '../settings/environment.ts'
import { type ShownSetting, showSettings } from '../settings/shown.ts'

export const configCommand = (program: Command) =>
  addCommand(program, 'config', 'print every setting, its value and where it came from; secrets are hidden', {
    about: `Settings come from the environment, else from one file: the one that MARKBOOK_CONFIG names, or
markbook.conf or .env in this folder, or /etc/markbook/markbook.conf (on Windows
C:\\ProgramData\\Markbook\\markbook.conf).`,
    examples: ['markbook config', 'PORT=8443 markbook config        the environment wins over the file', 'markbook config --json'],
    exits: { 0: 'printed', 1: 'a setting is wrong, and one clear line says which' },
  })
    .option('--json', 'as JSON, for programs')
    .action(config)

function config({ json = false }: { json?: boolean }) {
  const gathered = gather()
  const shown = showSettings(gathered)
  if (json) return console.log(JSON.stringify(shown, null, 2))
  console.log(`${gathered.file ? `Read: ${gathered.file}` : 'There is no settings file.'}\n`)
  console.log(table(shown))
}

function table(shown: readonly ShownSetting[]): string {
  const width = (pick: (setting: ShownSetting) => string) => Math.min(60, Math.max(...shown.map((setting) => pick(setting).length)))
  const [names, values] = [width(({ name }) => name), width(({ value }) => value)]
  return shown.map(({ name, value, source }) => `${name.padEnd(names)}  ${value.padEnd(values)}  ${source}`).join('\n')
}
