/**
 * The version of the columns of replicated tables, which every stamped row carries (sync.md, «Versions»): a node that knew fewer columns
 * asks again for what it set aside once its own version is higher. `npm run generate` raises it where the columns have another digest.
 */
export const SCHEMA_VERSION = 1
// Digest of the columns: fa7171b8a3cac53dafcb67d723ed620681854fd89c66f98d251b2f5a3174a50b
