import { useEffect, useMemo, useState } from 'react'
import { readTable } from './read-table.ts'
import type { ReadTable } from './table.ts'

/** A chosen file and what is in it: undefined while it is being read, null where it cannot be read here. */
export type Chosen = { file: File; table: ReadTable | null | undefined }

export function useTable(file: File | null): Chosen | null {
  const [read, setRead] = useState<{ file: File; table: ReadTable | null } | null>(null)
  useEffect(() => {
    let isWanted = true
    if (file) void readTable(file).then((table) => isWanted && setRead({ file, table }))
    return () => {
      isWanted = false
    }
  }, [file])
  const table = read?.file === file ? read?.table : undefined
  return useMemo(() => file && { file, table }, [file, table])
}
