// All scenarios by name: `<file>: <what happens>`.
import { readdir } from "node:fs/promises";

const folder = new URL("scenarios/", import.meta.url);

export async function loadScenarios() {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".js")).sort();
  const loaded = [];
  for (const file of files) {
    const { scenarios } = await import(new URL(file, folder).href);
    for (const [title, run] of Object.entries(scenarios)) {
      loaded.push({ name: `${file.slice(0, -".js".length)}: ${title}`, run });
    }
  }
  return loaded;
}
