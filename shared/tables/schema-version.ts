/**
 * The version of the columns of replicated tables, which every stamped row carries (sync.md, «Versions»). A node that knew fewer columns
 * requests the omitted values again once its own version is higher. `npm run generate` raises it where the digest of the columns changes.
 */
export const SCHEMA_VERSION = 9
// Digest of the columns: c4ab6f0808457aba603530a474de12c830cfb3c30c0ceb2c7eeeeea017ff3976
