import type { Environment } from "../../base/index.js";
import type { InitializeRequest, JsonObject } from "../../wire/index.js";
import type { Version } from "../cli-version.js";

/** What `buildInvocation()` must know about the CLI. */
export interface CliFacts {
  readonly path: string;
  /** Absent if it is unknown. */
  readonly version?: Version | undefined;
  /** Whether `path` is a script that needs a JavaScript runtime. */
  readonly script?: boolean;
}

/** What `buildInvocation()` must know about your program and its machine. */
export interface HostFacts {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  /** The runtime for a CLI that is a script. */
  readonly execPath: string;
  /** Absolute path of the folder for private files. It need not exist. */
  readonly privateDir: string;
  /** The file that the option `settings` names, as it was found. */
  readonly settings?: SettingsInput;
  /** The current directory of your program; absent if it has been deleted. */
  readonly cwd?: string | undefined;
  /**
   * The folder that the CLI starts in, as the variable PWD must name it; absent if it is unknown.
   */
  readonly pwd?: string | undefined;
  /** The project, if it is not trusted. */
  readonly project?: ProjectInput;
}

/** What was found in a project that is not trusted. */
export interface ProjectInput {
  /** The project's settings files. */
  readonly settings: readonly SettingsInput[];
  /** Whether all instruction files lie in the project's folder and none is a link out of it. */
  readonly holdsInstructions: boolean;
}

/** A settings file as it was found. */
export type SettingsInput =
  | { readonly found: true; readonly text: string }
  | { readonly found: false; readonly reason: "missing" }
  | { readonly found: false; readonly reason: "unreadable"; readonly message: string };

/** Everything that is needed to start the CLI and to open the connection to it. */
export interface Invocation {
  /** The executable: the CLI, or the runtime for a CLI that is a script. */
  readonly file: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The first request to the CLI. */
  readonly initialize: Initialize;
  readonly files: readonly PrivateFile[];
  /** Values that must not appear in logs and errors. */
  readonly secrets: readonly string[];
  readonly warnings: readonly string[];
  /** How many deny rules the CLI must report once it has read its settings. */
  readonly expectedDenyRules: number;
  /**
   * Whether the CLI must report a default mode once it has read its settings. Set for a mode that
   * not every CLI knows, because a CLI that does not know the mode silently drops all of these
   * settings.
   */
  readonly expectsMode?: true;
}

/**
 * The initialize request. The CLI reads `managedSettings` only with
 * `--managed-settings-in-initialize`.
 */
export type Initialize = InitializeRequest & { readonly managedSettings?: JsonObject };

/** A file that must be written with mode 0600 before the start. */
export interface PrivateFile {
  readonly path: string;
  readonly contents: string;
  /** When the file can be removed: after the CLI has answered initialize, or after its exit. */
  readonly keepUntil: "initialized" | "exit";
}
