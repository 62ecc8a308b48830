import type { DocumentLanguage } from '@markbook/shared/domain/document-language'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../api/queries.ts'

/**
 * The language of one print: that of the school until the person chooses another. What is shown is asked for, so that nobody gets papers in
 * another language because the school has chosen anew meanwhile. While that of the school is not known, the server decides.
 */
export function usePrintLanguage() {
  const school = useQuery(ask('schools', 'mine')).data
  const [chosen, choose] = useState<DocumentLanguage>()
  const language = chosen ?? (school && (school.document_language ?? 'en'))
  return {
    shown: language ?? 'en',
    query: language ? { language } : {},
    choose: (code: string) => choose(code as DocumentLanguage),
  }
}
