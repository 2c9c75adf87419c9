import { resolve } from "node:path";
import { HawserError } from "hawser";
import { closestKey } from "../config/closest-key.js";
import { isTenantName } from "../config/config-schema.js";
import { findConfig, loadConfig } from "../config/load-config.js";
import { addKey, keysFileFor, readKeys, removeKey, type StoredKey } from "../tenants/keys-file.js";

/** Which keys are meant: those of a configuration. */
export interface KeysPlace {
  readonly config?: string | undefined;
  readonly cwd?: string | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/** A key that was just created. Its text is not stored anywhere. */
export interface CreatedKey {
  readonly id: string;
  readonly tenant: string;
  readonly key: string;
  /** The file that holds the hash. */
  readonly file: string;
}

/** The keys of `hawser serve`. */
export interface KeyManager {
  readonly file: string;
  /** Throws `invalid_options` if the configuration lists tenants and this is none of them. */
  add(tenant: string): Promise<CreatedKey>;
  list(): StoredKey[];
  /** Throws `invalid_options` if there is no such key. */
  remove(id: string): Promise<StoredKey>;
}

export async function openKeys(place: KeysPlace = {}): Promise<KeyManager> {
  const cwd = place.cwd ?? process.cwd();
  const { config, file: configFile, folder } = await loadConfig(findConfig(cwd, place.config), cwd);
  const file =
    config.keysFile === undefined
      ? keysFileFor(configFile === undefined ? undefined : folder, place.env ?? process.env)
      : resolve(folder, config.keysFile);
  const tenants = Object.keys(config.tenants ?? {});
  return {
    file,
    add: async (tenant) => {
      refuseUnknown(tenant, tenants);
      const { id, key } = await addKey(file, tenant);
      return { id, tenant, key, file };
    },
    list: () => readKeys(file),
    remove: async (id) => {
      const removed = await removeKey(file, id);
      if (removed !== undefined) return removed;
      const close = closestKey(
        id,
        readKeys(file).map((key) => key.id),
      );
      throw new HawserError(
        "invalid_options",
        `There is no key ${JSON.stringify(id)} in ${file}.`,
        {
          hint:
            close === undefined ? "`hawser serve keys list` lists them." : `Did you mean ${close}?`,
        },
      );
    },
  };
}

function refuseUnknown(tenant: string, tenants: readonly string[]): void {
  if (!isTenantName(tenant)) {
    throw new HawserError("invalid_options", `${JSON.stringify(tenant)} is no name for a tenant.`, {
      hint: "Use up to 64 letters, digits and . _ @ -, beginning with a letter or digit.",
    });
  }
  if (tenants.length === 0 || tenants.includes(tenant)) return;
  const close = closestKey(tenant, tenants);
  throw new HawserError("invalid_options", `The configuration has no tenant "${tenant}".`, {
    hint: close === undefined ? `Its tenants are ${tenants.join(", ")}.` : `Did you mean ${close}?`,
  });
}
