import type { Client } from "pg";
import { settlesWithin } from "../settles-within.js";

/** Connects, or gives the client up after this time. A pool of the caller may have no limit of its own. */
export async function connectWithin(client: Client, limitMs: number): Promise<void> {
  const connecting = client.connect();
  const isConnected = await settlesWithin(connecting, limitMs);
  if (isConnected) return;
  const timeout = new Error("timeout expired");
  destroyClient(client, timeout);
  // A client of a folder waits for the start of Postgres before it opens its socket.
  connecting.then(
    () => destroyClient(client),
    () => undefined,
  );
  throw timeout;
}

/** Ends the client, and closes its socket after this time: a silent server never confirms the end. */
export async function endWithin(client: Client, limitMs: number): Promise<void> {
  const ended = client.end().catch(() => undefined);
  if (!(await settlesWithin(ended, limitMs))) destroyClient(client);
}

/** Closes the socket at once. With an error, a `connect()` that is under way rejects with it. */
export function destroyClient(client: object, error?: Error): void {
  // Clients of pg-native have no socket of Node.
  const { connection } = client as { connection?: { stream: { destroy(error?: Error): void } } };
  connection?.stream.destroy(error);
}
