import { conversation } from './conversation.ts'
import { errors, protocolLimits, tables } from './declared.ts'
import { signedHistory } from './history.ts'
import { keysAndSignatures } from './keys.ts'
import { machine } from './machine.ts'
import { comparing, merging, rules, sheets } from './merging.ts'

/** By file name in `sync/vectors`: examples of all behaviour that another program must share (sync/SPEC.md). */
export const makers: Readonly<Record<string, () => unknown>> = {
  conversation,
  comparing,
  errors,
  history: signedHistory,
  keys: keysAndSignatures,
  limits: protocolLimits,
  machine,
  merging,
  rules,
  sheets,
  tables,
}

const WIDTH = 140

/** JSON in which a value that fits on a line is on one line, so that people can read it. */
export function toText(value: unknown, indent = ''): string {
  const line = JSON.stringify(value)
  if (line.length + indent.length <= WIDTH || typeof value !== 'object' || value === null) return line
  const inner = `${indent}  `
  const lines = Array.isArray(value)
    ? value.map((each) => `${inner}${toText(each, inner)}`)
    : Object.entries(value)
        .filter(([, each]) => each !== undefined)
        .map(([name, each]) => `${inner}${JSON.stringify(name)}: ${toText(each, inner)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`
}
