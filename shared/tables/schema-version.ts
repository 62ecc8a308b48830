/**
 * The version of the columns of replicated tables, which every stamped row carries (sync.md, «Versions»): a node that knew fewer columns
 * asks again for what it set aside once its own version is higher. `npm run generate` raises it where the columns have another digest.
 */
export const SCHEMA_VERSION = 6
// Digest of the columns: 6effe2a210abf60d2b50c5f96621bca4bd189d3c1e6f45d5dfe1a5d610466a25
