import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { CHANNELS, type ProcessEvent } from "hawser";
import { afterAll, beforeAll } from "vitest";
import { type GatewayWorld, gatewayWorld } from "./gateway-world.js";

export interface ListeningGateway {
  readonly world: GatewayWorld;
  /** The processes that have served a request since the set was cleared. */
  readonly pids: Set<number | undefined>;
  readonly port: number;
}

/** A gateway that listens on a port of its own, for all tests of a file. */
export function listeningGateway(): ListeningGateway {
  const world = gatewayWorld();
  const server = createAdaptorServer({ fetch: (each: Request) => world.gateway.fetch(each) });
  const pids = new Set<number | undefined>();
  const note = ({ pid }: ProcessEvent) => pids.add(pid);
  beforeAll(async () => {
    CHANNELS.processAssigned.subscribe(note);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  afterAll(async () => {
    CHANNELS.processAssigned.unsubscribe(note);
    server.close();
    await once(server, "close");
  });
  return {
    world,
    pids,
    get port() {
      return (server.address() as AddressInfo).port;
    },
  };
}
