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

// Names of the official SDK for what has another name here.

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
