import type { Device } from '@markbook/shared/domain/device'

type Names = readonly (readonly [pattern: RegExp, name: string])[]

/** The first that fits counts: most browsers also call themselves Chrome or Safari. */
const PROGRAMS: Names = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|Chromium|CriOS)\//, 'Chrome'],
  [/\bVersion\/\S+ .*\bSafari\//, 'Safari'],
]
const SYSTEMS: Names = [
  [/\bWindows\b/, 'Windows'],
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bMac OS X\b/, 'Mac'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

/** A user agent is far shorter; what is longer is nobody's. */
const LONGEST = 512
const firstOf = (names: Names, text: string) => names.find(([pattern]) => pattern.test(text))?.[1] ?? null

/** The device that a `User-Agent` names. Only names from these lists: whatever else was sent reaches no page and no mail. */
export function deviceOf(userAgent: string | undefined): Device {
  const text = (userAgent ?? '').slice(0, LONGEST)
  return { program: firstOf(PROGRAMS, text), system: firstOf(SYSTEMS, text) }
}
