/**
 * The version of the columns of replicated tables, which every stamped row carries (sync.md, «Versions»): a node that knew fewer columns
 * asks again for what it set aside once its own version is higher. `npm run generate` raises it where the columns have another digest.
 */
export const SCHEMA_VERSION = 3
// Digest of the columns: bfc86b746888ac0aa173bd88f2854886096a9c74b07b03a2b4cfdd15d5d80605
