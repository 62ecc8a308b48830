/** The jobs of this node: a request that queues one wakes the runner, and streams wait for changes. */
export type Jobs = {
  /** Starts looking for waiting jobs, also those that other servers left unfinished, and deletes old ones. */
  look(): void
  /** Call when a job may be waiting. */
  wake(): void
  /** Resolves with the next change of the job by this node, after `ms`, or when `signal` aborts or the program ends. */
  changed(jobId: string, ms: number, signal: AbortSignal): Promise<void>
  /** False where this person, or all together, have too many streams; otherwise `leave` must be called at the end. */
  join(userId: string): boolean
  leave(userId: string): void
  /** True once no more work is started; streams then end. */
  readonly isStopping: boolean
  /** Aborts at that moment. */
  readonly stopping: AbortSignal
  /** Resolves when no job is waiting or running here. */
  idle(): Promise<void>
  /** Releases running jobs, which continue elsewhere or later, and ends the streams. */
  stop(): Promise<void>
}
