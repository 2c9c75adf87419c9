import pg from "pg";
import { openServer, type ServerOptions } from "../postgres/open-server.js";
import type { PostgresDatabase } from "../postgres/postgres-database.js";
import { Cluster } from "./cluster.js";

/** Opens the database in a folder, and starts its Postgres if no other program has. */
export async function openFolder(
  folder: string,
  options: ServerOptions,
): Promise<PostgresDatabase> {
  const cluster = new Cluster(folder, options.logger);
  try {
    await cluster.ensure();
  } catch (error) {
    cluster.release();
    throw error;
  }
  return openServer(
    { host: cluster.folder.socket, port: 5432, user: "hawser", database: "postgres" },
    {
      ...options,
      kind: "folder",
      Client: clientOf(cluster),
      release: async () => cluster.release(),
    },
  );
}

/** Every new connection starts Postgres again if it is gone: somebody may have killed it. */
function clientOf(cluster: Cluster): typeof pg.Client {
  return class FolderClient extends pg.Client {
    override connect(): Promise<pg.Client>;
    override connect(callback: ConnectCallback): void;
    override connect(callback?: ConnectCallback): Promise<pg.Client> | undefined {
      const ensured = cluster.ensure();
      if (callback === undefined) return ensured.then(() => super.connect());
      const done = callback as (error: Error) => void;
      ensured.then(() => super.connect(done), done);
      return undefined;
    }
  };
}

type ConnectCallback = ((error: Error) => void) | ((error: null, client: pg.Client) => void);
