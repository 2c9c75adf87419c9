// The control requests of the host that need more than an acknowledgement.
import { current } from "./flags.mjs";
import { registerHooks } from "./hooks.mjs";
import { connect, replace, serverDetails } from "./mcp.mjs";
import { initializeAnswer, printUser } from "./messages.mjs";
import { answer, print } from "./output.mjs";
import { isNew } from "./scenario.mjs";
import { interrupt } from "./turn.mjs";

/** The settings of a host take effect even if the scenario does not answer the request. */
export function takeInitialize({ hooks, jsonSchema }) {
  registerHooks(hooks);
  current.schema ??= jsonSchema;
}

export async function control(event) {
  const { request } = event.message;
  const subtype = request?.subtype;
  const payload = Object.hasOwn(CONTROLS, subtype) ? CONTROLS[subtype](request) : {};
  // Awaited only if necessary, because the answer to an interrupt comes before its effects.
  const response = payload instanceof Promise ? await payload : payload;
  await answer(event, { subtype: "success", response });
  if (Object.hasOwn(AFTERWARDS, subtype)) await AFTERWARDS[subtype](request);
}

const CONTROLS = {
  initialize: ({ sdkMcpServers, sdkMcpServerManifests }) => {
    connect(sdkMcpServers, sdkMcpServerManifests);
    return initializeAnswer();
  },
  interrupt: ({ cancel_queued }) => {
    const receipt = interrupt(cancel_queued);
    return isNew() ? receipt : undefined;
  },
  set_model: async ({ model }) => {
    current.model = model ?? "fake-model";
    const text = `<local-command-stdout>Set model to \`${current.model}\`</local-command-stdout>`;
    await printUser(text, { isReplay: true });
    return { model: current.model };
  },
  set_permission_mode: ({ mode }) => {
    current.mode = mode;
    return { mode };
  },
  apply_flag_settings: ({ settings }) => {
    current.settings = { ...current.settings, ...settings };
  },
  get_settings: () => {
    const { settings, model } = current;
    const sources = settings === undefined ? [] : [{ source: "flagSettings", settings }];
    return { effective: settings ?? {}, sources, applied: { model } };
  },
  mcp_status: () => ({ mcpServers: serverDetails() }),
  mcp_set_servers: ({ servers = {} }) => {
    const names = Object.keys(servers);
    const removed = replace(names.filter((name) => servers[name].type !== "sdk"));
    return { added: names, removed, errors: {} };
  },
};

const AFTERWARDS = {
  set_permission_mode: () =>
    print({ type: "system", subtype: "status", status: null, permissionMode: current.mode }),
  mcp_set_servers: ({ servers = {} }) => {
    const inHost = Object.entries(servers).filter(([, { type }]) => type === "sdk");
    connect(inHost.map(([name]) => name));
  },
  end_session: () => process.exit(0),
};
