/**
 * The CLI's sandbox for commands. Fields that are not listed here are passed on unchanged.
 *
 * @example
 * ```ts
 * const sandbox: SandboxSettings = {
 *   enabled: true,
 *   filesystem: { denyRead: ["~/.ssh"] },
 *   network: { allowedDomains: ["registry.npmjs.org"] },
 * };
 * ```
 */
export interface SandboxSettings {
  /** Runs commands in the sandbox. */
  enabled?: boolean | undefined;
  /**
   * Stops the CLI if no sandbox is available. The CLI's own default is to warn and to run commands
   * without a sandbox.
   * @default true
   */
  failIfUnavailable?: boolean | undefined;
  /** Runs commands in the sandbox without approval. */
  autoAllowBashIfSandboxed?: boolean | undefined;
  allowUnsandboxedCommands?: boolean | undefined;
  /** Commands that run outside the sandbox. */
  excludedCommands?: string[] | undefined;
  network?: SandboxNetwork | undefined;
  filesystem?: SandboxFilesystem | undefined;
  credentials?: SandboxCredentials | undefined;
  /** Paths whose violations are not reported, by command. */
  ignoreViolations?: Record<string, string[]> | undefined;
  enableWeakerNestedSandbox?: boolean | undefined;
  allowNestedUserNamespaces?: boolean | undefined;
  enableWeakerNetworkIsolation?: boolean | undefined;
  allowAppleEvents?: boolean | undefined;
  ripgrep?: { command: string; args?: string[] | undefined } | undefined;
  bwrapPath?: string | undefined;
  socatPath?: string | undefined;
  [field: string]: unknown;
}

/** The network access of commands in the sandbox. */
export interface SandboxNetwork {
  allowedDomains?: string[] | undefined;
  deniedDomains?: string[] | undefined;
  strictAllowlist?: boolean | undefined;
  allowManagedDomainsOnly?: boolean | undefined;
  allowUnixSockets?: string[] | undefined;
  allowAllUnixSockets?: boolean | undefined;
  allowLocalBinding?: boolean | undefined;
  allowMachLookup?: string[] | undefined;
  httpProxyPort?: number | undefined;
  socksProxyPort?: number | undefined;
  tlsTerminate?: { caCertPath?: string | undefined; caKeyPath?: string | undefined } | undefined;
  [field: string]: unknown;
}

/** The files that commands in the sandbox may read and write. */
export interface SandboxFilesystem {
  allowWrite?: string[] | undefined;
  denyWrite?: string[] | undefined;
  allowRead?: string[] | undefined;
  denyRead?: string[] | undefined;
  allowManagedReadPathsOnly?: boolean | undefined;
  disabled?: boolean | undefined;
  [field: string]: unknown;
}

/**
 * Secrets that commands in the sandbox must not see. The sandbox denies access to them, or shows a
 * mask that its proxy replaces by the secret.
 */
export interface SandboxCredentials {
  files?: (MaskedSecret & { path: string; maskDuplicates?: boolean | undefined })[] | undefined;
  envVars?: (MaskedSecret & { name: string })[] | undefined;
  allowPlaintextInject?: boolean | undefined;
  awsPairs?:
    | {
        accessKeyIdVar: string;
        secretAccessKeyVar: string;
        sessionTokenVar?: string | undefined;
      }[]
    | undefined;
  sigv4?:
    | {
        streaming?: "deny" | "passthrough" | undefined;
        presigned?: "deny" | "passthrough" | undefined;
        sigv4a?: "deny" | "passthrough" | undefined;
      }
    | undefined;
  [field: string]: unknown;
}

type MaskedSecret = {
  mode: "deny" | "mask";
  extract?: string | undefined;
  onExtractNoMatch?: "deny" | "error" | "warn" | undefined;
  decode?: "jwt" | undefined;
  maskClaims?: string[] | undefined;
  injectHosts?: string[] | undefined;
};
