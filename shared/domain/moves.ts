/** For each state, the moves that leave it and the states they lead to. */
export type Moves<State extends string> = Readonly<Record<State, Readonly<Record<string, State>>>>

/** The state after a move, or null where the table has no such move. */
export function moveIn<State extends string>(table: Moves<State>, state: State, move: string): State | null {
  const moves = table[state]
  return Object.hasOwn(moves, move) ? (moves[move] ?? null) : null
}
