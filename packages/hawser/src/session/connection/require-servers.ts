import { setTimeout as sleep } from "node:timers/promises";
import { getPath, HawserError } from "../../base/index.js";
import type { ControlLine } from "../../control/index.js";
import type { Options } from "../../options/index.js";
import type { McpServerStatus } from "../../wire/index.js";

/** Throws `mcp_failed` unless the servers that the option names have started. */
export async function requireServers(
  options: Options,
  control: ControlLine,
  linked: (names: readonly string[]) => Promise<unknown>,
): Promise<void> {
  const { requireMcp } = options;
  if (requireMcp === undefined || requireMcp === false) return;
  // An older CLI does not know a server of this program until the first turn.
  const here = namesHere(options);
  await linked(requireMcp === true ? here : here.filter((name) => requireMcp.includes(name)));
  for (;;) {
    const statuses = statusesOf(await control.request({ subtype: "mcp_status" }));
    const all = requireMcp === true ? namesOf(options, statuses) : requireMcp;
    const names = all.filter((name) => !here.includes(name));
    const wanted = names.map((name) => ({ name, ...statuses.find((each) => each.name === name) }));
    const waiting = wanted.some(({ status }) => status === "pending");
    const down = wanted.filter(({ status }) => status !== "connected" && status !== "pending");
    if (down.length > 0) throw failed(down);
    if (!waiting) return;
    // Polled, because the CLI does not report when a server has started.
    await sleep(POLL_MS);
  }
}

const POLL_MS = 50;

function statusesOf(payload: unknown): readonly McpServerStatus[] {
  const servers = getPath(payload, "mcpServers");
  return Array.isArray(servers) ? servers : [];
}

/** The names of the servers that run inside this program. */
function namesHere({ mcpServers }: Options): readonly string[] {
  if (typeof mcpServers !== "object") return [];
  const here = Object.entries(mcpServers).filter(
    ([, server]) => server.type === "sdk" && server.instance !== undefined,
  );
  return here.map(([name]) => name);
}

function namesOf({ mcpServers }: Options, statuses: readonly McpServerStatus[]): readonly string[] {
  return typeof mcpServers === "object"
    ? Object.keys(mcpServers)
    : statuses.map(({ name }) => name);
}

function failed(servers: readonly Partial<McpServerStatus>[]): HawserError {
  const words = servers.map(
    ({ name, status = "unknown to the CLI", error }) =>
      `${name} (${status}${error === undefined ? "" : `: ${error}`})`,
  );
  return new HawserError("mcp_failed", `An MCP server did not start: ${words.join(", ")}.`, {
    issues: servers.map(({ name, error, status }) => ({
      path: `mcpServers.${name}`,
      message: error ?? status ?? "is not known to the CLI",
    })),
  });
}
