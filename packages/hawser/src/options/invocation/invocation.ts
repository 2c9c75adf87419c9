import type { Environment } from "../../base/index.js";
import type { InitializeRequest, JsonObject } from "../../wire/index.js";
import type { Version } from "../cli-version.js";

/** What is known of the CLI. */
export interface CliFacts {
  readonly path: string;
  /** Absent if it could not be learned. */
  readonly version?: Version | undefined;
  /** Whether `path` is a script, to be run by a JavaScript runtime. */
  readonly script?: boolean;
}

/** What is known of this program and its machine. */
export interface HostFacts {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  /** The runtime of a CLI that is a script. */
  readonly execPath: string;
  /** Absolute folder for private files; need not exist. */
  readonly privateDir: string;
  /** What was found at the path that the option `settings` names. */
  readonly settings?: SettingsInput;
  /** The current directory of this program; absent if it has been deleted. */
  readonly cwd?: string | undefined;
  /** A path of the folder that the CLI starts in, as PWD has to name it; absent if it is not known. */
  readonly pwd?: string | undefined;
  /** What was found of a project that is not trusted. */
  readonly project?: ProjectInput;
}

/** A project that is not trusted. */
export interface ProjectInput {
  /** Its settings files. */
  readonly settings: readonly SettingsInput[];
  /** Whether each of its files with instructions lies in its folder, and is no link out of it. */
  readonly holdsInstructions: boolean;
}

/** A settings file as it was found. */
export type SettingsInput =
  | { readonly found: true; readonly text: string }
  | { readonly found: false; readonly reason: "missing" }
  | { readonly found: false; readonly reason: "unreadable"; readonly message: string };

/** All that is needed to start the CLI, and to open the line to it. */
export interface Invocation {
  readonly file: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly initialize: Initialize;
  readonly files: readonly PrivateFile[];
  /** Values that must not be seen in logs and errors. */
  readonly secrets: readonly string[];
  readonly warnings: readonly string[];
  /** How many deny rules the CLI must report once it has read its settings. */
  readonly expectedDenyRules: number;
  /**
   * Whether the CLI must report a default mode once it has read its settings. Set for a mode that not
   * every CLI knows: one that does not know it drops all of these settings in silence.
   */
  readonly expectsMode?: true;
}

/** `managedSettings` is read only where `--managed-settings-in-initialize` is given. */
export type Initialize = InitializeRequest & { readonly managedSettings?: JsonObject };

/** To be written with mode 0600 before the start. */
export interface PrivateFile {
  readonly path: string;
  readonly contents: string;
  readonly keepUntil: "initialized" | "exit";
}
