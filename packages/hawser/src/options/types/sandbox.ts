/** The CLI's sandbox for commands; a field that is not listed is passed on as it is. */
export interface SandboxSettings {
  enabled?: boolean | undefined;
  /** Whether the CLI stops where it cannot sandbox; true unless given, since the CLI's own default
   * is to warn and run unsandboxed. */
  failIfUnavailable?: boolean | undefined;
  autoAllowBashIfSandboxed?: boolean | undefined;
  allowUnsandboxedCommands?: boolean | undefined;
  excludedCommands?: string[] | undefined;
  network?: SandboxNetwork | undefined;
  filesystem?: SandboxFilesystem | undefined;
  credentials?: SandboxCredentials | undefined;
  /** Paths, by command, whose violations are not reported. */
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

/** What commands in the sandbox may reach. */
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

/** What commands in the sandbox may read and write. */
export interface SandboxFilesystem {
  allowWrite?: string[] | undefined;
  denyWrite?: string[] | undefined;
  allowRead?: string[] | undefined;
  denyRead?: string[] | undefined;
  allowManagedReadPathsOnly?: boolean | undefined;
  disabled?: boolean | undefined;
  [field: string]: unknown;
}

/** Secrets that commands must not see: refused, or shown as a mask that the proxy undoes. */
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
