/** A prompt that an agent of the session is given whenever its time has come. */
export interface Schedule {
  readonly id: string;
  /** Five fields, in UTC. */
  readonly cron: string;
  readonly prompt: string;
  /** False: once, then it is gone. */
  readonly recurring: boolean;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}
