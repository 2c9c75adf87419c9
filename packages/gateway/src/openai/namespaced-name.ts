import { createHash } from "node:crypto";

/** The longest name of a tool. */
const MAX_LENGTH = 64;

/**
 * The name under which the model sees a tool of a namespace: `<namespace>__<name>`. A name that would be too long is
 * cut and gets a hash. It depends on nothing else, so that it stays the same in all requests of a conversation.
 */
export function namespacedName(namespace: string, name: string): string {
  const whole = joined(namespace, name);
  return /^[\w-]+$/.test(whole) && whole.length <= MAX_LENGTH ? whole : hashedName(namespace, name);
}

/** A name for a tool of a namespace that no other tool has. */
export function hashedName(namespace: string, name: string): string {
  const hash = createHash("sha256").update(`${namespace}\n${name}`).digest("hex").slice(0, 12);
  const whole = joined(namespace, name).replaceAll(/[^\w-]/g, "_");
  return `${whole.slice(0, MAX_LENGTH - hash.length - 1)}_${hash}`;
}

/** Some clients have namespaces that end in `__`. */
function joined(namespace: string, name: string): string {
  return namespace.endsWith("__") ? `${namespace}${name}` : `${namespace}__${name}`;
}
