/** The jobs of this node: who asks for one wakes it, who follows one waits for its changes. */
export type Jobs = {
  /** From now on looks for what waits, also for what others left behind, and forgets what is old. */
  look(): void
  /** Something may be waiting. */
  wake(): void
  /** Ends with the next change that this node makes to the job, or after `ms`, or where `signal` or the end of the program says so. */
  changed(jobId: string, ms: number, signal: AbortSignal): Promise<void>
  /** False where this person, or all together, follow too many already; else the end of following is to be told by `leave`. */
  join(userId: string): boolean
  leave(userId: string): void
  /** True once no more work is begun: whoever follows a job stops. */
  readonly isStopping: boolean
  /** Aborts in that moment. */
  readonly stopping: AbortSignal
  /** Ends when nothing is waiting or running here. */
  idle(): Promise<void>
  /** Gives back what is running, so that it goes on elsewhere or later, and ends the streams. */
  stop(): Promise<void>
}
