/**
 * The version of the columns of replicated tables, which every stamped row carries (sync.md, «Versions»): a node that knew fewer columns
 * asks again for what it set aside once its own version is higher. `npm run generate` raises it where the columns have another digest.
 */
export const SCHEMA_VERSION = 9
// Digest of the columns: c4ab6f0808457aba603530a474de12c830cfb3c30c0ceb2c7eeeeea017ff3976
