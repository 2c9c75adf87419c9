import type { Logger } from "../base/index.js";
import { CREDENTIAL_VARIABLES } from "../options/index.js";
import type { Prepared } from "../process/index.js";
import { hashOf } from "./keys.js";

/** Warns once when calls of one pool bring different credentials to processes of one user. */
export class CredentialWatch {
  readonly #log: Logger;
  /** A hash of the first credential by user. */
  readonly #first = new Map<number | undefined, string>();
  #hasWarned = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  note({ invocation, user, customSpawn }: Prepared): void {
    // A process that the caller starts may be on another machine, or in a container.
    if (this.#hasWarned || customSpawn !== undefined) return;
    const held = CREDENTIAL_VARIABLES.flatMap((name) => {
      const value = invocation.env[name];
      return value ? [[name, value]] : [];
    });
    if (held.length === 0) return;
    const credential = hashOf(held);
    const uid = user?.uid ?? process.getuid?.();
    const first = this.#first.get(uid) ?? credential;
    this.#first.set(uid, first);
    if (first === credential) return;
    this.#hasWarned = true;
    this.#log.warn("calls with different credentials share one user of this machine", {
      uid,
      hint: 'A command that one of them runs can read the environment of the others. Give each tenant a `user` of its own, a container, or a worker: see "Many users" in docs/deployment.md.',
    });
  }
}
