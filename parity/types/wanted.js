// Types of ours that are not assignable to the official type in both directions, and why that is intended.

const WIDER = "what we take is wider: everything official fits, and more does too";

const UNDEFINED = "each field may be given as undefined";
const PRIVATE = "a class with private fields fits no other; its public members are the same";

/** Our type cannot be passed to code that expects the official type. */
export const OURS_IS_WIDER = {
  CanUseTool: "ours may also answer without a promise",
  HookCallback: "ours may also answer without a promise, and with nothing",
  HookCallbackMatcher: "holds HookCallback",
  McpServerConfig: WIDER,
  Options: WIDER,
  ThinkingAdaptive: WIDER,
  ThinkingConfig: WIDER,
  ThinkingEnabled: WIDER,
  SpawnedProcess: WIDER,
  Settings: "a field of the sandbox may be given as undefined",
  ClaimOptions: "holds Settings",
  ResolvedSettings: "holds Settings",
  ResolveSettingsOptions: "holds Settings",
  ForkSessionOptions: UNDEFINED,
  GetSessionInfoOptions: UNDEFINED,
  GetSessionMessagesOptions: UNDEFINED,
  GetSubagentMessagesOptions: UNDEFINED,
  ImportSessionToStoreOptions: UNDEFINED,
  ListSessionsOptions: UNDEFINED,
  ListSubagentsOptions: UNDEFINED,
  SessionMutationOptions: UNDEFINED,
  InMemorySessionStore: PRIVATE,
  AnyZodRawShape: "any schema that can give JSON Schema, not only zod's",
  McpSdkServerConfigWithInstance: "the instance is a server of our own",
};

/** The official value lacks something that ours has. */
export const OURS_HAS_MORE = {
  Query: "ours can be disposed of by `await using` under every lib",
  InMemorySessionStore: PRIVATE,
  SpareProcess: "gives a Query",
  WarmQuery: "gives a Query",
};

/** Names that mean something else here. */
export const ANOTHER_MEANING = {
  Transport: "our own interface of four verbs; the official one is SDKTransport",
};

/** Values that do not fit their official declaration. */
export const OF_OUR_OWN = {
  createSdkMcpServer: "the instance is a server of our own",
  InMemorySessionStore: PRIVATE,
  filterEscalatingDefaultMode: "gives Settings",
  resolveSettings: "gives Settings",
  tool: "takes any schema that can give JSON Schema, not only zod's",
};
