import type { DocumentLanguage } from '@markbook/shared/domain/document-language'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../api/queries.ts'

/** The language of one print: that of the school, which the server knows, until the person chooses another. */
export function usePrintLanguage() {
  const ofSchool = useQuery(ask('schools', 'mine')).data?.document_language ?? 'en'
  const [chosen, choose] = useState<DocumentLanguage>()
  return {
    shown: chosen ?? ofSchool,
    query: chosen ? { language: chosen } : {},
    choose: (code: string) => choose(code as DocumentLanguage),
  }
}
