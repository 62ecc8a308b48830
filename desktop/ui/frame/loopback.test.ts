import { describe, expect, it } from 'vitest'
import { isLoopback } from './loopback.ts'

describe('isLoopback', () => {
  it('is true for every name of this computer for itself', () => {
    for (const name of ['localhost', 'markbook.localhost', '127.0.0.1', '127.8.0.2', '[::1]']) expect(isLoopback(name), name).toBe(true)
  })

  it('is false for addresses of the network and of the internet', () => {
    const known = ['markbook.local', '192.168.1.20', 'localhost.school.ie', 'school.ie', '[fe80::1]']
    for (const name of known) expect(isLoopback(name), name).toBe(false)
  })
})
