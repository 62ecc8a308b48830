/** Whether a column is hidden: ids, timestamps and paths of files; not the time of an approval, which is all that an approval writes. */
export const isTechnical = (column: string): boolean =>
  column !== 'approved_at' && (column === 'id' || /(_id|_by|_key|_at|_path|_size|_hash|(^|_)sha256)$/.test(column))
