import { XLSX_TYPE } from '../../documents/sheet-kind.ts'
import type { WorkbookInput } from '../../documents/workbook.ts'
import type { Services } from '../../http/services.ts'

type Described = { filename: string; school: string; workbook: WorkbookInput }

/** A workbook for a school, made after the transaction. */
export const workbookFile = async ({ filename, school, workbook }: Described, { documents }: Pick<Services, 'documents'>) => ({
  filename,
  contentType: XLSX_TYPE,
  bytes: await documents.workbook(workbook, { school }),
})
