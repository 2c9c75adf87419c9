/** The `request` of the control request that opens a line; every field is optional on the wire. */
export interface InitializeRequest {
  readonly subtype: "initialize";
  readonly hooks?: Readonly<Record<string, readonly HookRegistration[]>>;
  readonly sdkMcpServers?: readonly string[];
  readonly sdkMcpServerConfigs?: Readonly<Record<string, unknown>>;
  readonly sdkMcpServerManifests?: Readonly<Record<string, unknown>>;
  readonly jsonSchema?: Readonly<Record<string, unknown>>;
  /** Absent is the CLI's own prompt; `[""]` is none. */
  readonly systemPrompt?: readonly string[];
  readonly appendSystemPrompt?: string;
  readonly systemPromptSnapshot?: boolean;
  readonly excludeDynamicSections?: boolean;
  readonly planModeInstructions?: string;
  readonly toolAliases?: Readonly<Record<string, string>>;
  readonly agents?: Readonly<Record<string, unknown>>;
  readonly title?: string;
  readonly skills?: readonly string[];
  readonly promptSuggestions?: boolean;
  readonly agentProgressSummaries?: boolean;
  readonly forwardSubagentText?: boolean;
  readonly supportedDialogKinds?: readonly string[];
  readonly perTaskStopAffordance?: boolean;
  readonly plugins?: readonly { readonly type: "local"; readonly path: string }[];
}

export interface HookRegistration {
  readonly matcher?: string;
  readonly hookCallbackIds: readonly string[];
  /** Seconds. */
  readonly timeout?: number;
  readonly onFailure?: "block";
}
