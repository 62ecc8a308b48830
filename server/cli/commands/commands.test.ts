import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { buildProgram, programFile } from '../../testing/program.ts'
import { createProgram } from '../main.ts'

buildProgram()

const program = createProgram()
const commands = program.commands
const withSubcommands = (command: Command): Command[] => [command, ...command.commands.flatMap(withSubcommands)]
const all = commands.flatMap(withSubcommands).map((command) => [pathOf(command), command] as const)

function pathOf(command: Command): string {
  const names: string[] = []
  for (let each: Command | null = command; each?.parent; each = each.parent) names.unshift(each.name())
  return names.join(' ')
}

/** What `--help` prints, with the texts after it. */
function helpOf(command: Command): string {
  let text = ''
  const writeOut = (part: string) => {
    text += part
  }
  for (let each: Command | null = command; each; each = each.parent) each.configureOutput({ writeOut })
  command.outputHelp()
  return text
}

const codesIn = (help: string) => [...(help.split('Exit codes:\n')[1] ?? '').matchAll(/^ {2}(\d+) {2}\S/gm)].map(([, code]) => Number(code))

describe('every command', () => {
  test.each(all)('%s has a description, an example of its own and its exit codes in its help', (path, command) => {
    const help = helpOf(command)
    expect(command.description()).toMatch(/^[a-z].*[^.]$/)
    expect(help).toMatch(new RegExp(`^ {2}\\$ (?:sudo )?(?:[A-Z_]+=\\S+ )*markbook ${path}\\b`, 'm'))
    expect(codesIn(help).slice(0, 3)).toEqual([0, 1, 2])
    for (const option of command.options.filter((option) => !option.hidden)) expect(option.description || option.required).toBeTruthy()
  })

  test.each(all.map(([path]) => [path]))('%s refuses an unknown option before it does anything', async (path) => {
    const fresh = createProgram()
    for (const command of withSubcommands(fresh)) command.exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} })
    await expect(fresh.parseAsync([...path.split(' '), '--no-such-thing'], { from: 'user' })).rejects.toMatchObject({ exitCode: 1 })
  })

  test('an unknown command and a missing command are refused', () => {
    const run = (...args: string[]) => spawnSync(process.execPath, [programFile, ...args], { encoding: 'utf8' }).status
    expect([run('bogus'), run(), run('--help'), run('code')]).toEqual([2, 2, 0, 2])
  })
})

describe('the page of the operators’ guide', () => {
  const page = readFileSync('docs/operators-guide/command-line.md', 'utf8')
  const [head = [], , ...rows] = page
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )

  test('lists every command in the order of the program', () => {
    expect(rows.map(([name]) => name)).toEqual(commands.map((each) => `\`${each.name()}\``))
  })

  test.each(commands.map((each, at) => [each.name(), each, at] as const))('lists for %s the exit codes of its help', (_, each, at) => {
    const listed = [...head.entries()]
      .filter(([column, title]) => /^\d+$/.test(title) && rows[at]?.[column] !== '')
      .map(([, title]) => Number(title))
    // Code 2, wrong usage, is the same for every command, and is documented once above the table.
    expect(listed).toEqual(codesIn(helpOf(each)).filter((code) => code !== 2))
  })
})
