import { execFileSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";

/**
 * A network of its own for a host, with one cable to this machine. It needs root and the program `ip`. The host
 * reaches only what was forwarded.
 */
export class NetworkNamespace {
  /** To be put before the command of a program that shall run in there. */
  readonly command: readonly string[];
  readonly #name: string;
  readonly #address: string;
  readonly #servers: Server[] = [];

  private constructor(name: string, address: string) {
    this.#name = name;
    this.#address = address;
    this.command = ["ip", "netns", "exec", name];
  }

  /** Undefined on a machine where none can be made. */
  static create(): NetworkNamespace | undefined {
    const number = randomInt(1 << 14);
    const name = `hw${number}`;
    const subnet = `10.213.${number >> 6}.${(number & 63) * 4}`;
    const [here, there] = [1, 2].map((last) =>
      subnet.replace(/\d+$/, (end) => `${Number(end) + last}`),
    );
    const inside = ["netns", "exec", name, "ip"];
    try {
      ip("netns", "add", name);
    } catch {
      return undefined;
    }
    const namespace = new NetworkNamespace(name, here ?? "");
    try {
      ip("link", "add", `${name}a`, "type", "veth", "peer", "name", `${name}b`);
      ip("link", "set", `${name}b`, "netns", name);
      ip("addr", "add", `${here}/30`, "dev", `${name}a`);
      ip("link", "set", `${name}a`, "up");
      ip(...inside, "addr", "add", `${there}/30`, "dev", `${name}b`);
      ip(...inside, "link", "set", `${name}b`, "up");
      ip(...inside, "link", "set", "lo", "up");
      return namespace;
    } catch {
      namespace.#remove();
      return undefined;
    }
  }

  get address(): string {
    return this.#address;
  }

  /** Makes a server of this machine reachable from inside. Returns the port at `address`. */
  async forward(target: { readonly path: string } | { readonly port: number }): Promise<number> {
    const server = createServer((client) => {
      const upstream = "path" in target ? connect(target.path) : connect(target.port, "127.0.0.1");
      client.pipe(upstream).pipe(client);
      for (const socket of [client, upstream]) {
        socket.on("error", () => {
          client.destroy();
          upstream.destroy();
        });
      }
    });
    server.listen(0, this.#address);
    await once(server, "listening");
    this.#servers.push(server);
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("The server has no port.");
    return address.port;
  }

  /** Pulls the cable: packets are lost, and no connection ends. */
  cut(): void {
    ip("link", "set", `${this.#name}a`, "down");
  }

  join(): void {
    ip("link", "set", `${this.#name}a`, "up");
  }

  dispose(): void {
    for (const server of this.#servers) server.close();
    this.#remove();
  }

  #remove(): void {
    for (const args of [
      ["link", "del", `${this.#name}a`],
      ["netns", "del", this.#name],
    ]) {
      try {
        ip(...args);
      } catch {
        // It was not made.
      }
    }
  }
}

function ip(...args: readonly string[]): void {
  execFileSync("ip", args, { stdio: "ignore" });
}
