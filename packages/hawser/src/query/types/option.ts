import type {
  Elicitation,
  JsonSchema,
  Options,
  OutputFormat,
  PluginConfig,
  SandboxCredentials,
  SandboxFilesystem,
  SandboxNetwork,
  SandboxSettings,
  SpawnRequest,
  UserDialog,
} from "../../options/index.js";

// Official names of types that hawser calls by other names.

export type SdkPluginConfig = PluginConfig;

export type SpawnOptions = SpawnRequest;

export type ElicitationRequest = Elicitation;

export type UserDialogRequest = UserDialog;

export type ToolConfig = NonNullable<Options["toolConfig"]>;

export type SandboxNetworkConfig = SandboxNetwork;

export type SandboxFilesystemConfig = SandboxFilesystem;

export type SandboxCredentialsConfig = SandboxCredentials;

export type SandboxIgnoreViolations = NonNullable<SandboxSettings["ignoreViolations"]>;

export type OutputFormatType = OutputFormat["type"];

export type BaseOutputFormat = { type: OutputFormatType };

export type JsonSchemaOutputFormat = BaseOutputFormat & { schema: JsonSchema };

export type ConfigScope = "local" | "user" | "project";

export type SdkBeta = "context-1m-2025-08-07";

/** Which of the given models a list of denied models blocks. */
export type DeniedModelsMatch = {
  /** In the order of the models. */
  denied: boolean[];
  /** Problems with an entry or a model. */
  warnings: string[];
};
