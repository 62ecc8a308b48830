/** What a keyring says of a name. `silent`: it is not there, is locked, or does not answer; `why` in a few words. */
export type Kept = { state: 'found'; secret: string } | { state: 'absent' } | { state: 'silent'; why: string }

/** Where the operating system keeps secrets of an account, locked together with the account. None of these throws. */
export type Keyring = {
  /** `patience`: how long to wait for it, ms. */
  read(name: string, patience: number): Promise<Kept>
  /** Whether it is kept now. */
  write(name: string, secret: string): Promise<boolean>
  /** Whether it is gone now. */
  remove(name: string): Promise<boolean>
}
