/** A run of a fleet, as far as the page shows it. */
export interface RunInfo {
  readonly id: string;
  readonly tenant: string;
  readonly profile?: string;
  readonly state: string;
  readonly prompt: unknown;
  readonly sessionId?: string;
  readonly costUsd: number;
  readonly budgetUsd?: number;
  readonly segments?: number;
  readonly deaths?: number;
  readonly createdAt: string;
  readonly endedAt?: string;
  readonly deadline?: string;
  readonly host?: string;
  readonly outcome?: { readonly text?: string; readonly stop?: string };
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string };
}

/** An event of a run. Each type has its own fields. */
export interface RunEvent {
  readonly seq: number;
  readonly at: string;
  readonly type: string;
  readonly text?: string;
  readonly message?: unknown;
  readonly tool?: string;
  readonly input?: unknown;
  readonly host?: string;
  readonly how?: string;
  readonly summary?: string;
  readonly outcome?: string;
  readonly by?: string;
  readonly state?: string;
  readonly reason?: string;
}

export const RUN_TONES: Readonly<Record<string, "plain" | "good" | "bad" | "warn" | "accent">> = {
  queued: "plain",
  held: "warn",
  running: "accent",
  waiting: "warn",
  done: "good",
  failed: "bad",
  cancelled: "plain",
};
