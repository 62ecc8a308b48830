/**
 * The version of the columns of replicated tables, which every stamped row carries (sync.md, «Versions»): a node that knew fewer columns
 * asks again for what it set aside once its own version is higher. `npm run generate` raises it where the columns have another digest.
 */
export const SCHEMA_VERSION = 5
// Digest of the columns: 1dc9e8f8eef9ebd374c9ee1d39ee76c9b166b030d61840a9e272cab95fbae8aa
