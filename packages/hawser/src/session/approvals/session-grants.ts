import { hash } from "node:crypto";

/** Who allowed what, in which answer. */
export interface Grant {
  readonly grantedBy: string;
  readonly by: string | undefined;
}

/**
 * The calls that were allowed for a session. A grant is forgotten when it is one of the oldest of too
 * many, so that an object that serves sessions for years needs bounded memory. The question is then asked
 * again.
 */
export class SessionGrants {
  /** By the hash of session id and call, because a call can be long. */
  readonly #grants = new Map<string, Grant>();

  add(sessionId: string, call: string, grant: Grant): void {
    this.#grants.set(keyOf(sessionId, call), grant);
    const [oldest] = this.#grants.keys();
    if (this.#grants.size > MOST && oldest !== undefined) this.#grants.delete(oldest);
  }

  find(sessionId: string, call: string): Grant | undefined {
    return this.#grants.get(keyOf(sessionId, call));
  }

  clear(): void {
    this.#grants.clear();
  }
}

function keyOf(sessionId: string, call: string): string {
  return hash("sha256", JSON.stringify([sessionId, call]), "base64");
}

const MOST = 10_000;
