import type { Finding } from './finding.ts'

const LABELS = { problem: 'PROBLEM', notice: 'notice', ok: 'ok' }
const GRAVITY = { problem: 0, notice: 1, ok: 2 }

/** What is wrong first; each with what it means and what to do. */
export function report(findings: readonly Finding[]): string {
  const sorted = [...findings].sort((a, b) => GRAVITY[a.severity] - GRAVITY[b.severity])
  return [...sorted.map(told), '', verdict(findings)].join('\n')
}

function told(finding: Finding): string {
  const label = LABELS[finding.severity].padEnd(9)
  if (finding.severity === 'ok') return `${label}${finding.what}`
  return [`${label}${finding.what}`, `         For the marks: ${finding.means}`, `         What to do:    ${finding.do}`, ''].join('\n')
}

function verdict(findings: readonly Finding[]): string {
  const count = (severity: Finding['severity']) => findings.filter((finding) => finding.severity === severity).length
  const [problems, notices] = [count('problem'), count('notice')]
  const canFix = findings.some((finding) => 'fix' in finding && finding.fix)
  const help = canFix ? ' Some of it markbook doctor --fix can do.' : ''
  if (problems > 0) return `${problems === 1 ? 'One problem' : `${problems} problems`} found.${help}`
  return notices > 0 ? `No problem found; ${notices === 1 ? 'one thing' : `${notices} things`} to know.${help}` : 'All is well.'
}

export const hasProblem = (findings: readonly Finding[]): boolean => findings.some(({ severity }) => severity === 'problem')
