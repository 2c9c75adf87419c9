import { HawserError } from "../../base/index.js";

/** The names that MAGI's documents pin to models. The CLI's own aliases change with its versions. */
export const CLAUDE_CLI_MODEL_ALIASES: Readonly<Record<string, string>> = {
  opus: "claude-opus-4-6",
  sonnet: "claude-sonnet-4-6",
  haiku: "claude-haiku-4-5-20251001",
};

/** The id of the named model. Throws `auth`, the category of the contract, for an unknown name. */
export function resolveModel(name: string, aliases: Readonly<Record<string, string>>): string {
  const id = Object.hasOwn(aliases, name) ? aliases[name] : undefined;
  if (id !== undefined) return id;
  if (typeof name === "string" && name.includes("claude-")) return name;
  const known = Object.keys(aliases).join(", ");
  throw new HawserError("auth", `${JSON.stringify(name)} is not the name of a known model.`, {
    hint: `Use ${known === "" ? "" : `one of ${known}, or `}a model id with "claude-" in it; \`modelAliases\` takes other names.`,
  });
}
