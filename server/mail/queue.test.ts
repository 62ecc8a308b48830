import { limits } from '@markbook/shared/limits'
import { expect, test } from 'vitest'
import type { MailMessage } from './mailer.ts'
import { mailQueue } from './queue.ts'

const NOON = Date.UTC(2026, 8, 1, 12)
const HOUR = 3_600_000
const { concurrent, strangers } = limits.mail

/** A queue over a transport that takes a mail for as long as the test says. */
function slowQueue() {
  let now = NOON
  const sent: string[] = []
  const underWay: (() => void)[] = []
  const deliver = ({ to }: MailMessage) => {
    sent.push(to)
    return new Promise<boolean>((resolve) => void underWay.push(() => resolve(true)))
  }
  const queue = mailQueue({ clock: { now: () => now }, deliver, backoff: () => 1, onExpired: () => {} })
  const mail = (to: string, lane: MailMessage['lane']) => queue.add({ to, lane, subject: 'Code', text: 'Code', expiresAt: now + HOUR })
  /** What is under way has been taken. */
  const step = async () => {
    await new Promise((resolve) => setImmediate(resolve))
    for (const finish of underWay.splice(0)) finish()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const later = (ms: number) => {
    now += ms
  }
  return { queue, mail, sent, step, later }
}

const invented = (count: number) => Array.from({ length: count }, (_, at) => `invented${at}@nowhere.example`)
const teachers = (count: number) => Array.from({ length: count }, (_, at) => `teacher${at}@school.example`)

test('whoever is known here is sent a code at once, however many strangers came before', async () => {
  const { queue, mail, sent, step } = slowQueue()
  for (const to of invented(100_000)) mail(to, 'strangers')
  await new Promise((resolve) => setImmediate(resolve))
  expect(sent).toHaveLength(strangers.concurrent)
  expect(queue.size()).toBe(strangers.queued)
  mail('ada@school.example', 'members')
  await new Promise((resolve) => setImmediate(resolve))
  expect(sent.at(-1)).toBe('ada@school.example')
  await step()
})

test('strangers wait while anybody known waits', async () => {
  const { mail, sent, step } = slowQueue()
  for (const to of invented(20)) mail(to, 'strangers')
  for (const to of teachers(20)) mail(to, 'members')
  while (sent.length < 20 + strangers.concurrent) await step()
  expect(sent.slice(0, 20 + strangers.concurrent - 1).filter((to) => to.startsWith('invented')).length).toBeLessThanOrEqual(
    strangers.concurrent,
  )
  expect(sent.filter((to) => to.startsWith('teacher'))).toEqual(teachers(20))
})

test('with nobody known waiting, strangers have one connection of them all', async () => {
  const { mail, sent, step } = slowQueue()
  for (const to of invented(3)) mail(to, 'strangers')
  expect(concurrent).toBeGreaterThan(strangers.concurrent)
  await step()
  expect(sent).toHaveLength(2 * strangers.concurrent)
})

test('strangers have a budget an hour, whatever leaves; who is known has none', async () => {
  const { queue, mail, sent, step, later } = slowQueue()
  const burst = async () => {
    for (const to of invented(3 * strangers.perHour)) {
      mail(to, 'strangers')
      if (queue.size() === strangers.queued) while (queue.size() > 0) await step()
    }
    while (queue.size() > 0) await step()
  }
  await burst()
  expect(sent).toHaveLength(strangers.perHour)
  for (const to of teachers(strangers.perHour)) mail(to, 'members')
  while (queue.size() > 0) await step()
  expect(sent).toHaveLength(2 * strangers.perHour)
  later(HOUR - 1)
  expect(mail('late@nowhere.example', 'strangers')).toBe(false)
  later(1)
  await burst()
  expect(sent).toHaveLength(3 * strangers.perHour)
})
