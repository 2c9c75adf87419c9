import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { normalize } from "node:path/posix";
import { HarnessError, type HarnessV1Skill } from "@ai-sdk/harness";

/** The folder of a plugin that holds the skills of a turn, so that nothing is written into the user's own folders. */
export interface SkillsPlugin {
  readonly path: string;
  remove(): Promise<void>;
}

/** Writes the skills as a plugin. The model sees them as `app:<name>`. */
export async function writeSkillsPlugin(skills: readonly HarnessV1Skill[]): Promise<SkillsPlugin> {
  const files = skills.flatMap(filesOf);
  const path = await mkdtemp(join(tmpdir(), "hawser-skills-"));
  const plugin = { path, remove: () => rm(path, { recursive: true, force: true }) };
  try {
    await write(
      path,
      ".claude-plugin/plugin.json",
      JSON.stringify({ name: "app", version: "1.0.0" }),
    );
    for (const [name, content] of files) await write(path, name, content);
  } catch (error) {
    await plugin.remove();
    throw error;
  }
  return plugin;
}

function filesOf({ name, description, content, files = [] }: HarnessV1Skill): [string, string][] {
  if (!/^[a-z0-9][a-z0-9_-]*$/i.test(name)) {
    throw new HarnessError({
      message: `The name of a skill must be letters, digits and "-": ${name}`,
    });
  }
  const head = `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n`;
  const others = files.map((file): [string, string] => [
    `skills/${name}/${inside(file.path)}`,
    file.content,
  ]);
  return [[`skills/${name}/SKILL.md`, `${head}${content}\n`], ...others];
}

function inside(path: string): string {
  const normal = normalize(path);
  if (normal.startsWith("/") || normal.startsWith("..") || path.includes("\\")) {
    throw new HarnessError({
      message: `The path of a skill's file must be inside the skill: ${path}`,
    });
  }
  return normal;
}

async function write(root: string, name: string, content: string): Promise<void> {
  const place = join(root, name);
  await mkdir(dirname(place), { recursive: true });
  await writeFile(place, content);
}
