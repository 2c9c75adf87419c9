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

/** Another name for `PluginConfig`. */
export type SdkPluginConfig = PluginConfig;

/** Another name for `SpawnRequest`. */
export type SpawnOptions = SpawnRequest;

/** Another name for `Elicitation`. */
export type ElicitationRequest = Elicitation;

/** Another name for `UserDialog`. */
export type UserDialogRequest = UserDialog;

/** The option `toolConfig`. */
export type ToolConfig = NonNullable<Options["toolConfig"]>;

/** Another name for `SandboxNetwork`. */
export type SandboxNetworkConfig = SandboxNetwork;

/** Another name for `SandboxFilesystem`. */
export type SandboxFilesystemConfig = SandboxFilesystem;

/** Another name for `SandboxCredentials`. */
export type SandboxCredentialsConfig = SandboxCredentials;

/** The setting `ignoreViolations` of the sandbox. */
export type SandboxIgnoreViolations = NonNullable<SandboxSettings["ignoreViolations"]>;

/** The kind of an output format. */
export type OutputFormatType = OutputFormat["type"];

/** The common part of all output formats. */
export type BaseOutputFormat = { type: OutputFormatType };

/** An output format with a JSON Schema. */
export type JsonSchemaOutputFormat = BaseOutputFormat & { schema: JsonSchema };

/** Where a setting is stored. */
export type ConfigScope = "local" | "user" | "project";

/** A beta feature of the API. */
export type SdkBeta = "context-1m-2025-08-07";

/** Which of the given models a list of denied models blocks. */
export type DeniedModelsMatch = {
  /** In the order of the models. */
  denied: boolean[];
  /** Problems with an entry or a model. */
  warnings: string[];
};
