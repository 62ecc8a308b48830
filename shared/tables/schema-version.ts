/**
 * The version of the columns of replicated tables, which every stamped row carries (sync.md, «Versions»): a node that knew fewer columns
 * asks again for what it set aside once its own version is higher. `npm run generate` raises it where the columns have another digest.
 */
export const SCHEMA_VERSION = 8
// Digest of the columns: 36c8ddf826dfadb2cf1e733c4c454c2b12efc34d202d8abc9cf2e5e43b7f6343
