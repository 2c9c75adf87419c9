import { HawserError } from "../base/index.js";
import type {
  DeniedModelsMatch,
  ResolvedSettings,
  ResolveSettingsOptions,
  Settings,
  SpareProcess,
  StartupParams,
} from "./types/index.js";

// Exports of the official SDK that this package does not support. They exist because a missing name would
// fail at import; a call throws `not_supported`.

/** Not supported: rejects with `not_supported`. */
export async function resolveSettings(
  _options?: ResolveSettingsOptions,
): Promise<ResolvedSettings> {
  throw unsupported(
    "resolveSettings()",
    "Send the control request `get_settings` to a running CLI, which knows the settings that it reads.",
  );
}

/** Not supported: rejects with `not_supported`. */
export async function prewarm(_params?: StartupParams): Promise<SpareProcess> {
  throw unsupported("prewarm()", "Use startup(), which starts the CLI for a folder that is known.");
}

/** Not supported: rejects with `not_supported`. */
export async function matchDeniedModels(
  _models: readonly string[],
  _deniedModels: readonly string[] | undefined,
): Promise<DeniedModelsMatch> {
  throw unsupported(
    "matchDeniedModels()",
    "Only the CLI knows all names of a model. Let the CLI refuse a denied model.",
  );
}

/** The settings without a default mode that grants more and comes from a file of the repository. */
export function filterEscalatingDefaultMode(resolved: ResolvedSettings): Settings {
  const { effective, sources } = resolved;
  const mode = effective.permissions?.defaultMode;
  if (mode === undefined) return effective;
  const origin = sources.findLast(({ settings }) => settings.permissions?.defaultMode === mode);
  if (origin === undefined || !UNTRUSTED[origin.source]?.includes(mode)) return effective;
  const { defaultMode: _, ...permissions } = effective.permissions ?? {};
  return { ...effective, permissions };
}

/** Modes that are not taken from a source; a local file may only spare questions about edits. */
const UNTRUSTED: Readonly<Record<string, readonly string[]>> = {
  project: ["bypassPermissions", "auto", "acceptEdits"],
  local: ["bypassPermissions", "auto"],
};

/** The error of a direct connection; nothing here makes one. */
export class DirectConnectError extends Error {
  override readonly name: string = "DirectConnectError";
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

/** Not supported: its constructor throws `not_supported`. */
export class DirectConnectTransport {
  constructor(_options: object) {
    throw unsupported("DirectConnectTransport", "Use `SubprocessTransport`, or one of your own.");
  }
}

/** Not supported: throws `not_supported`. */
export function parseDirectConnectUrl(_url: string): { serverUrl: string; authToken?: string } {
  throw unsupported("parseDirectConnectUrl()", "There are no direct connections here.");
}

/** Not supported: its constructor throws `not_supported`. */
export class CommandMatcher {
  constructor(_commands: readonly object[]) {
    throw unsupported("CommandMatcher", "Search the list of `supportedCommands()` yourself.");
  }
}

/** Not supported: its constructor throws `not_supported`. */
export class FileIndex {
  constructor() {
    throw unsupported("FileIndex", "Ask the CLI by the control request `file_suggestions`.");
  }
}

function unsupported(name: string, hint: string): HawserError {
  return new HawserError("not_supported", `${name} is not supported.`, { hint });
}
