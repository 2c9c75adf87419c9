import { type CliFacts, OPTION_TABLE, type Options } from "../../src/options/index.js";
import { fc } from "../support/fc.js";
import { CASES } from "./cases.helper.js";

export const NAMES = Object.keys(OPTION_TABLE);

const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSet: true,
  withSparseArray: true,
  withTypedArray: true,
});

/** A few options with values of the right kind, from the cases of the table. */
export const right = fc
  .subarray(NAMES, { maxLength: 8 })
  .chain((names) =>
    fc.tuple(
      ...names.map((name) =>
        fc.constantFrom(...CASES[name as keyof Options]).map(({ options }) => options),
      ),
    ),
  )
  .map((parts) => Object.assign({}, ...parts) as Options);

export const wrong = fc.oneof(
  fc.dictionary(fc.oneof(fc.constantFrom(...NAMES), fc.string()), anything, { maxKeys: 8 }),
  fc.record(Object.fromEntries(NAMES.map((name) => [name, anything])), { requiredKeys: [] }),
  anything,
);

/** Options whose shape is right and whose texts are not under control. */
const text = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.json());
const texts = fc.array(text, { maxLength: 5 });
export const textual = fc.record(
  {
    model: text,
    modelAliases: fc.dictionary(text, text),
    fallbackModel: fc.oneof(text, texts),
    betas: texts,
    systemPrompt: fc.oneof(text, texts),
    tools: texts,
    allowedTools: texts,
    disallowedTools: texts,
    rules: fc.array(fc.record({ tool: fc.string(), decision: fc.constantFrom("allow", "deny") })),
    skills: texts,
    additionalDirectories: texts,
    agents: fc.dictionary(text, fc.record({ description: text, prompt: text, model: text })),
    plugins: fc.array(fc.record({ type: fc.constant("local"), path: text })),
    mcpServers: fc.oneof(
      text,
      fc.dictionary(
        text,
        fc.record({ command: text, args: texts, env: fc.dictionary(text, text) }),
      ),
      fc.dictionary(
        text,
        fc.record({ type: fc.constant("http"), url: fc.oneof(text, fc.webUrl()) }),
      ),
    ),
    settings: fc.oneof(text, fc.dictionary(text, fc.jsonValue())),
    managedSettings: fc.dictionary(text, fc.jsonValue()),
    sandbox: fc.dictionary(text, fc.jsonValue()),
    strictSettingsMerge: fc.boolean(),
    schema: fc.dictionary(text, fc.jsonValue()),
    env: fc.dictionary(text, text),
    extraArgs: fc.dictionary(text, fc.option(text)),
    resume: text,
    title: text,
    cwd: text,
  },
  { requiredKeys: [] },
);

export const mixed = fc.tuple(right, wrong).map(([a, b]) => Object.assign({}, a, b) as Options);

export const cli: fc.Arbitrary<CliFacts> = fc.record({
  path: fc.constantFrom("/usr/bin/claude", "C:\\claude.exe"),
  version: fc.option(fc.tuple(fc.nat(3), fc.nat(2), fc.nat(400)), { nil: undefined }),
  script: fc.boolean(),
});

export const env = fc.dictionary(fc.string(), fc.option(fc.string(), { nil: undefined }));

/** Half of them newer than every option, so that not all runs end at the first gate. */
export const current: fc.Arbitrary<CliFacts> = fc.oneof(
  fc.constant<CliFacts>({ path: "/usr/bin/claude", version: [2, 1, 400] }),
  cli,
);
