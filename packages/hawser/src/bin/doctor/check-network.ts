import { accessSync, constants } from "node:fs";
import type { Environment } from "../../base/index.js";
import { type Check, type Finding, note, problem, warning } from "./finding.js";

/** Checks proxies, the base URL and certificates: everything between the CLI and the model. */
export const checkNetwork: Check = ({ env }) => [
  ...proxies(env),
  ...baseUrl(env),
  ...certificates(env),
];

const PROXIES = [
  "HTTPS_PROXY",
  "https_proxy",
  "HTTP_PROXY",
  "http_proxy",
  "ALL_PROXY",
  "all_proxy",
];

function proxies(env: Environment): Finding[] {
  const given = PROXIES.flatMap((name) => {
    const value = env[name];
    return value ? [{ name, url: value, shown: shownUrl(value) }] : [];
  });
  const good = given.filter(({ shown }) => shown !== undefined);
  // One finding for each address, because two to six variables usually hold one address.
  const addresses = [...new Set(good.map(({ shown }) => shown))].map((shown) => {
    const names = good.filter((each) => each.shown === shown).map(({ name }) => name);
    return note("proxy", `Calls go through ${shown} (${names.join(", ")}).`);
  });
  const bad = given
    .filter(({ shown }) => shown === undefined)
    .map(({ name }) => {
      const message = `${name} is not a valid proxy URL.`;
      return problem(
        "proxy",
        "process_exited",
        message,
        "Set it to http://host:port, or unset it.",
      );
    });
  return [...addresses, ...bad, ...(good.length === 0 ? [] : exceptions(env))];
}

function exceptions(env: Environment): Finding[] {
  const list = (env["NO_PROXY"] ?? env["no_proxy"] ?? "").split(/[\s,]+/);
  const missing = ["localhost", "127.0.0.1"].filter(
    (host) => !list.includes(host) && !list.includes("*"),
  );
  if (missing.length === 0) return [];
  const message = `NO_PROXY lacks ${missing.join(" and ")}, so requests to this machine, for example to an MCP server, go through the proxy.`;
  return [warning("no-proxy", message, `Add ${missing.join(",")} to NO_PROXY.`)];
}

const OWN = "https://api.anthropic.com";

function baseUrl(env: Environment): Finding[] {
  const value = env["ANTHROPIC_BASE_URL"];
  if (!value) return [];
  const shown = shownUrl(value);
  if (shown === undefined || !/^https?:/.test(shown)) {
    const message = "ANTHROPIC_BASE_URL is not a valid URL.";
    return [problem("base-url", "api_error", message, "Set it to https://host, or unset it.")];
  }
  if (shown === OWN) return [];
  const message = `Requests go to ${shown}, not to ${OWN} (ANTHROPIC_BASE_URL).`;
  return [warning("base-url", message, "Unset it if you did not intend that.")];
}

/** The URL without its parts that may be secret: name, password, path. */
function shownUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.host === "") return undefined;
  const person = url.username === "" && url.password === "" ? "" : "***@";
  return `${url.protocol}//${person}${url.host}`;
}

const FILES = [
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "CLAUDE_CODE_CLIENT_CERT",
  "CLAUDE_CODE_CLIENT_KEY",
];

function certificates(env: Environment): Finding[] {
  const missing = FILES.flatMap((name) => {
    const path = env[name];
    if (!path || isReadable(path)) return [];
    const message = `${name} names a file that cannot be read: ${path}.`;
    return [warning("certificates", message, `Correct ${name} or unset it.`, "api_error")];
  });
  if (env["NODE_TLS_REJECT_UNAUTHORIZED"] !== "0") return missing;
  const message =
    "TLS certificates are not checked (NODE_TLS_REJECT_UNAUTHORIZED=0), so anyone on the network path can read the traffic.";
  return [
    ...missing,
    warning(
      "certificates",
      message,
      "Unset it. If you have your own authority, set NODE_EXTRA_CA_CERTS.",
    ),
  ];
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    // accessSync() throws if the file cannot be read.
    return false;
  }
}
