import { deviceName } from '@markbook/shared/domain/device'
import { describe, expect, test } from 'vitest'
import { leastTime } from '../testing/least-time.ts'
import { deviceOf } from './device.ts'

const CHROMIUM = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0'
const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)'

describe('the device of a user agent', () => {
  test.each([
    [`${WINDOWS.replace(')', '; rv:133.0)')} Gecko/20100101 Firefox/133.0`, 'Firefox on Windows'],
    [`${WINDOWS} ${CHROMIUM} Safari/537.36`, 'Chrome on Windows'],
    [`${WINDOWS} ${CHROMIUM} Safari/537.36 Edg/131.0.0.0`, 'Edge on Windows'],
    [`${WINDOWS} ${CHROMIUM} Safari/537.36 OPR/116.0.0.0`, 'Opera on Windows'],
    [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${CHROMIUM} Safari/537.36`, 'Chrome on ChromeOS'],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0', 'Firefox on Linux'],
    [`Mozilla/5.0 (Linux; Android 10; K) ${CHROMIUM} Mobile Safari/537.36`, 'Chrome on Android'],
    [
      'Mozilla/5.0 (Linux; Android 13; SM-S901B) AppleWebKit/537.36 SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36',
      'Samsung Internet on Android',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
      'Safari on Mac',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
      'Safari on iPhone',
    ],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 FxiOS/133.0 Mobile/15E148', 'Firefox on iPhone'],
    ['Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X) AppleWebKit/605.1.15 CriOS/131.0.6778 Mobile/15E148 Safari/604.1', 'Chrome on iPad'],
    ['curl/8.5.0', 'An unknown device'],
    ['', 'An unknown device'],
    [undefined, 'An unknown device'],
    ['<script>alert(1)</script> Firefox/1\r\nBcc: x', 'Firefox'],
    [`${' '.repeat(100_000)}Firefox/133.0 Windows`, 'An unknown device'],
    [`Version/${'1'.repeat(200)} ${'Version/ '.repeat(40_000)}`, 'An unknown device'],
  ])('%s', async (userAgent, name) => {
    expect(await leastTime(50, () => expect(deviceName(deviceOf(userAgent))).toBe(name))).toBeLessThanOrEqual(50)
  })

  test('the own program is for a system, not on it', () => {
    expect(deviceName({ program: 'Markbook', system: 'Windows' })).toBe('Markbook for Windows')
    expect(deviceName({ program: 'Markbook', system: null })).toBe('Markbook')
    expect(deviceName({ program: null, system: 'Linux' })).toBe('Linux')
  })
})
