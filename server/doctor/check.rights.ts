import { type Finding, fine, problem } from './finding.ts'
import { counted } from './words.ts'

/** A file or folder of ours that others should not read; `mode` as the system has it. Windows has neither modes nor numbers of accounts. */
export type Held = { path: string; kind: 'folder' | 'marks' | 'secret'; uid: number; mode: number; usable: boolean }
/** `account`: who runs this; `owner`: whose the data folder is. Both are numbers of accounts. */
export type RightsFound = { account: number; owner: number; ownerName: string; held: readonly Held[] }

const ROOT = 0
const OTHERS = 0o077

export const tooOpen = ({ mode }: Held) => (mode & OTHERS) !== 0

export function checkRights(found: RightsFound | null): Finding[] {
  if (!found || found.held.length === 0) return []
  const { account, owner, ownerName, held } = found
  const all: Finding[] = []
  const shut = held.filter(({ usable }) => !usable)
  if (shut.length > 0 && account !== ROOT)
    all.push(
      problem('rights', {
        what: `This account may not read and write ${listed(shut)}.`,
        means: 'A server of this account cannot start, or cannot save marks.',
        do: owner === account ? 'markbook doctor --fix sets it right.' : `Run this as ${ownerName}, the owner of the folder, or with sudo.`,
        ...(owner === account && { fix: 'rights' as const }),
      }),
    )
  const foreign = held.filter(({ uid }) => uid !== owner)
  if (foreign.length > 0)
    all.push(
      problem('rights', {
        what: `${listed(foreign)} ${foreign.length === 1 ? 'belongs' : 'belong'} to another account than the folder, which is ${ownerName}’s.`,
        means: 'The server may be unable to open them, and then saves no mark.',
        do: 'sudo markbook doctor --fix gives them to the owner of the folder.',
        ...(account === ROOT && { fix: 'rights' as const }),
      }),
    )
  const open = held.filter(tooOpen)
  if (open.length > 0)
    all.push(
      problem('rights', {
        what: `Other accounts of this machine can read ${listed(open)}.`,
        means: open.some(({ kind }) => kind === 'secret')
          ? 'Whoever reads the secrets can sign in as anybody and change marks.'
          : 'Whoever has an account on this machine can read the marks of all children.',
        do: 'markbook doctor --fix closes them to everybody but the owner.',
        ...((account === ROOT || account === owner) && { fix: 'rights' as const }),
      }),
    )
  return all.length > 0 ? all : [fine('rights', `The data folder is ${ownerName}’s, and closed to other accounts.`)]
}

const listed = (held: readonly Held[]) => {
  const [first, ...others] = held
  return others.length === 0 ? first?.path : `${first?.path} and ${counted(others.length, 'other')}`
}
