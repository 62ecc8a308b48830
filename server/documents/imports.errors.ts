import { failures } from '@markbook/shared/failures'

/** Why a file that a teacher sent cannot be taken as a table (decisions §6, «Imports»). */
export const importErrors = failures('imports', {
  unreadable: [400, 'This file cannot be read. Open it, save it again as .xlsx or .csv, and send that file.'],
  duplicateColumn: [400, 'Two columns of this file have the same name.'],
  tooLarge: [413, 'This file is too large to import.'],
  wrongType: [415, 'This is not a spreadsheet that can be imported. Save it as .xlsx or .csv.'],
})
