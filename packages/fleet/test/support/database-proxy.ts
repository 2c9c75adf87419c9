import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/** A network between a program and its Postgres that can be cut. */
export interface DatabaseProxy {
  readonly url: string;
  /** Ends all connections. New ones are accepted. */
  cut(): void;
  /** Passes nothing on any more, and ends nothing: packets are lost. `resume()` ends that. */
  freeze(): void;
  resume(): void;
  /** The connections that exist now pass nothing on any more, and are not ended. New ones work. */
  silence(): void;
  /** A connection whose client sends this text is silent from then on, once. Resolves when that has happened. */
  silenceAt(text: string): Promise<void>;
  /** Ends a connection when the client has sent this text, and the server has got it or not. */
  cutAt(text: string, options: { readonly forward: boolean }): void;
  /** The next connection is ended by an error of the server that arrives together with the news that it is ready. */
  failNextConnection(): void;
  /** The first packets of all connections, which carry their settings. */
  readonly startPackets: readonly string[];
  close(): Promise<void>;
}

/** The message of a server that is ready for a statement. */
const READY = Buffer.from("Z\0\0\0\x05I", "latin1");
/** The message of a server that ends a connection. */
const TERMINATED = errorMessage("SFATAL", "C57P01", "Mterminating connection");

function errorMessage(...fields: readonly string[]): Buffer {
  const text = Buffer.from(`${fields.map((field) => `${field}\0`).join("")}\0`, "latin1");
  const length = Buffer.alloc(4);
  length.writeInt32BE(text.length + 4);
  return Buffer.concat([Buffer.from("E"), length, text]);
}

/** Starts a proxy on a port of this machine, in front of the server of the URL. */
export async function startDatabaseProxy(target: string): Promise<DatabaseProxy> {
  const own = new URL(target);
  const folder = own.searchParams.get("host");
  const upstreamOf = () =>
    folder === null
      ? connect(Number(own.port || 5432), own.hostname)
      : connect(`${folder}/.s.PGSQL.5432`);
  const pairs = new Set<{ client: Socket; upstream: Socket; isSilent: boolean }>();
  const startPackets: string[] = [];
  let isFrozen = false;
  let trap: { text: string; forward: boolean } | undefined;
  let failsNext = false;
  let silentAt: { text: string; onSilent: () => void } | undefined;

  // A network that loses packets loses the one that ends a connection too.
  const server: Server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = upstreamOf();
    const pair = { client, upstream, isSilent: false };
    pairs.add(pair);
    let isFirst = true;
    client.on("data", (chunk) => {
      if (isFirst) startPackets.push(chunk.toString("latin1"));
      isFirst = false;
      if (silentAt !== undefined && chunk.includes(silentAt.text)) {
        pair.isSilent = true;
        silentAt.onSilent();
        silentAt = undefined;
      }
      if (isFrozen || pair.isSilent) return;
      if (trap !== undefined && chunk.includes(trap.text)) {
        const { forward } = trap;
        trap = undefined;
        if (forward) upstream.write(chunk, () => client.destroy());
        else end();
        return;
      }
      upstream.write(chunk);
    });
    upstream.on("data", (chunk) => {
      if (isFrozen || pair.isSilent) return;
      const isFailing = failsNext && chunk.subarray(-READY.length).equals(READY);
      if (isFailing) failsNext = false;
      client.write(isFailing ? Buffer.concat([chunk, TERMINATED]) : chunk);
      if (isFailing) client.end();
    });
    const end = () => {
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      socket.on("end", () => {
        if (!isFrozen && !pair.isSilent) end();
      });
      socket.on("error", end);
      socket.on("close", end);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The proxy has no port.");
  const url = new URL(own);
  url.hostname = "127.0.0.1";
  url.port = String(address.port);
  url.searchParams.delete("host");

  const cut = () => {
    for (const { client, upstream } of pairs) {
      client.destroy();
      upstream.destroy();
    }
  };
  return {
    url: url.href,
    cut,
    freeze: () => {
      isFrozen = true;
    },
    resume: () => {
      isFrozen = false;
    },
    silence: () => {
      for (const pair of pairs) pair.isSilent = true;
    },
    silenceAt: (text) =>
      new Promise((onSilent) => {
        silentAt = { text, onSilent };
      }),
    cutAt: (text, { forward }) => {
      trap = { text, forward };
    },
    failNextConnection: () => {
      failsNext = true;
    },
    startPackets,
    close: async () => {
      cut();
      server.close();
      await once(server, "close");
    },
  };
}
