/**
 * The version of the columns of replicated tables, which every stamped row carries (sync.md, «Versions»): a node that knew fewer columns
 * asks again for what it set aside once its own version is higher. `npm run generate` raises it where the columns have another digest.
 */
export const SCHEMA_VERSION = 3
// Digest of the columns: 2a74d101b5adfa13c330278946bfe82f656830384db9a120d1e0fe4f432ac984
