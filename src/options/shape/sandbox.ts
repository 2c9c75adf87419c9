/** The CLI's sandbox for commands; a field that is not listed is passed on as it is. */
export interface SandboxSettings {
  readonly enabled?: boolean;
  /** Whether the CLI stops where it cannot sandbox; true unless given, since the CLI's own default
   * is to warn and run unsandboxed. */
  readonly failIfUnavailable?: boolean;
  readonly autoAllowBashIfSandboxed?: boolean;
  readonly allowUnsandboxedCommands?: boolean;
  readonly excludedCommands?: readonly string[];
  readonly network?: SandboxNetwork;
  readonly filesystem?: SandboxFilesystem;
  readonly [field: string]: unknown;
}

export interface SandboxNetwork {
  readonly allowedDomains?: readonly string[];
  readonly deniedDomains?: readonly string[];
  readonly allowUnixSockets?: readonly string[];
  readonly allowAllUnixSockets?: boolean;
  readonly allowLocalBinding?: boolean;
  readonly httpProxyPort?: number;
  readonly socksProxyPort?: number;
  readonly [field: string]: unknown;
}

export interface SandboxFilesystem {
  readonly allowWrite?: readonly string[];
  readonly denyWrite?: readonly string[];
  readonly allowRead?: readonly string[];
  readonly denyRead?: readonly string[];
  readonly [field: string]: unknown;
}
