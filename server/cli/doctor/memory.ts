import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { limits } from '@markbook/shared/limits'
import { orNull } from '../../or-null.ts'
import { bytes } from '../words.ts'
import { type Finding, fine, notice, problem } from './finding.ts'

/** In bytes, of this machine or its container; `free`: available to programs, null where unknown. */
export type Memory = { total: number; free: number | null }

export function checkMemory({ total, free }: Memory): Finding[] {
  const means = 'The system may end the server in the middle of the day; what was saved is safe, what is being typed must be typed again.'
  if (total < limits.doctor.lowMemoryBytes)
    return problem('memory', { what: `This machine has only ${bytes(total)} of memory.`, means, do: 'Use a machine with 1 GB or more.' })
  if (free !== null && free < limits.doctor.lowFreeMemoryBytes)
    return notice('memory', {
      what: `Only ${bytes(free)} of memory are free.`,
      means,
      do: 'End programs that are not needed on this machine, or give it more memory.',
    })
  return fine('memory', `This machine has ${bytes(total)} of memory${free === null ? '' : `, ${bytes(free)} of it free`}.`)
}

export function lookAtMemory(): Memory {
  const total = totalmem()
  // The limit of a container, which may be less than the memory of the machine.
  const bound = process.constrainedMemory?.() ?? 0
  return { total: bound > 0 && bound < total ? bound : total, free: freeMemory() }
}

/** The memory that programs can get without swapping, which is more than the unused memory; null where unknown. */
function freeMemory(): number | null {
  const [, kilobytes] = /^MemAvailable:\s+(\d+) kB$/m.exec(orNull(() => readFileSync('/proc/meminfo', 'utf8')) ?? '') ?? []
  return kilobytes ? Number(kilobytes) * 1_024 : null
}
