/** Of the slots, so many are used at most before there are twice as many. */
const FULL = 0.6

/**
 * Where chunks are, by their digests: open addressing in two arrays of numbers. The digests themselves are asked for, since the packs have
 * them: a `Map` with a text for each of a million pages would take 150 MB.
 */
export class ChunkTable {
  private capacity = 1_024
  private used = 0
  /** Pack and number of each, the pack counted from 1; 0 where the slot is free. */
  private packs = new Uint32Array(this.capacity)
  private numbers = new Uint32Array(this.capacity)

  constructor(private readonly digestOf: (pack: number, number: number) => Buffer) {}

  /** The first place that is told for a digest stays. */
  add(digest: Buffer, pack: number, number: number): void {
    if (this.used + 1 > this.capacity * FULL) this.grow()
    const slot = this.slotOf(digest)
    if (this.packs[slot] !== 0) return
    this.put(slot, pack + 1, number)
    this.used += 1
  }

  find(digest: Buffer): { pack: number; number: number } | null {
    const slot = this.slotOf(digest)
    const pack = this.packs[slot] ?? 0
    return pack === 0 ? null : { pack: pack - 1, number: this.numbers[slot] ?? 0 }
  }

  private put(slot: number, pack: number, number: number): void {
    this.packs[slot] = pack
    this.numbers[slot] = number
  }

  private slotOf(digest: Buffer): number {
    const mask = this.capacity - 1
    let slot = digest.readUInt32LE(0) & mask
    while (this.packs[slot] !== 0 && !this.digestOf((this.packs[slot] ?? 0) - 1, this.numbers[slot] ?? 0).equals(digest))
      slot = (slot + 1) & mask
    return slot
  }

  private grow(): void {
    const { packs, numbers } = this
    this.capacity *= 2
    this.packs = new Uint32Array(this.capacity)
    this.numbers = new Uint32Array(this.capacity)
    packs.forEach((pack, old) => {
      if (pack === 0) return
      const number = numbers[old] ?? 0
      this.put(this.slotOf(this.digestOf(pack - 1, number)), pack, number)
    })
  }
}
