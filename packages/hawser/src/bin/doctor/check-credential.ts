import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { CLOUD_SERVICES, LOGIN_VARIABLES } from "../../options/index.js";
import { configFolderIfAny } from "../../process/index.js";
import { settingsFiles, stateFileOf } from "./cli-files.js";
import {
  type Check,
  type CheckContext,
  type Finding,
  note,
  ok,
  problem,
  warning,
} from "./finding.js";

/** Finds out which credential the CLI uses. Opens no stored credential. */
export const checkCredential: Check = (context) => {
  const { env } = context;
  const cloud = CLOUD_SERVICES.find(([name]) => isOn(env[name]));
  if (cloud !== undefined) {
    const [name, service] = cloud;
    return [ok("credential", `${service} (${name}); its credentials are not checked`)];
  }
  const variables = LOGIN_VARIABLES.filter((name) => env[name]?.trim());
  const inSettings = settingsFiles(context).flatMap(credentialIn);
  const [used, ...unused] = [...variables, ...loginsOf(context)];
  if (used === undefined) return [nothingSeen(inSettings, stateFileOf(context))];
  return [
    ok("credential", `found ${used}`),
    ...unused.map((each) => overridden(used, each)),
    ...variables.filter((name) => env[name]?.trim() !== env[name]).map(blanks),
    ...inSettings.map((each) => note("credential-settings", `There is also ${each}.`)),
  ];
};

function isOn(value: string | undefined): boolean {
  return value !== undefined && !["", "0", "false", "no", "off"].includes(value.toLowerCase());
}

function loginsOf({ env, cwd }: CheckContext): string[] {
  const folder = configFolderIfAny(env, cwd);
  if (folder === undefined) return [];
  const file = join(folder, ".credentials.json");
  // After a logout the file holds `{}`. hawser looks only at its size and does not open it.
  const isThere = sizeOf(file) > EMPTY_OBJECT_BYTES;
  return isThere ? [`the login in ${file}`] : [];
}

const EMPTY_OBJECT_BYTES = 4;

/** What a settings file says about credentials. */
function credentialIn(path: string): string[] {
  const settings = objectIn(textOf(path));
  const env = settings["env"];
  const variables = typeof env === "object" && env !== null ? Object.keys(env) : [];
  return ["apiKeyHelper", ...LOGIN_VARIABLES]
    .filter((name) => name in settings || variables.includes(name))
    .map((name) => `${name} in ${path}`);
}

function nothingSeen(inSettings: readonly string[], stateFile: string | undefined): Finding {
  if (inSettings.length > 0) {
    return warning(
      "credential",
      `The only credential is ${inSettings.join(" and ")}. complete() and \`hawser ask\` do not read settings files, so they are not logged in.`,
      "Set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN. In a program, you can also pass `settingSources`, `apiKey` or `oauthToken`.",
      "auth",
    );
  }
  const elsewhere = unseenStores(stateFile);
  if (elsewhere.length > 0) {
    const message = `No credential was found. There may be ${elsewhere.join(" or ")}, which hawser does not open.`;
    const remedy =
      "A real call (`hawser doctor --live`) shows whether there is one. If there is none, run `claude` and log in, or set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN.";
    return warning("credential", message, remedy, "auth");
  }
  return problem(
    "credential",
    "auth",
    "No login and no API key was found.",
    "Run `claude` and log in, or set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN.",
  );
}

/** Places where the CLI may keep a credential that hawser cannot see. */
function unseenStores(stateFile: string | undefined): string[] {
  return [
    ...(process.platform === "darwin" ? ["a login in the keychain"] : []),
    ...(stateFile !== undefined && sizeOf(stateFile) > EMPTY_OBJECT_BYTES
      ? [`the key of a Console login in ${stateFile}`]
      : []),
  ];
}

function overridden(used: string, unused: string): Finding {
  const message = `${used} is used instead of ${unused}, so another account may be billed.`;
  return warning("credential-override", message, `Unset ${used} to use ${unused}.`);
}

function blanks(name: string): Finding {
  const message = `The value of ${name} begins or ends with white space.`;
  return warning("credential-blanks", message, "Set it again without the white space.", "auth");
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    // The file does not exist.
    return 0;
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // Most of the files do not exist; checkSettings() reports one that cannot be read.
    return "";
  }
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    // checkSettings() reports invalid JSON.
    return {};
  }
}
