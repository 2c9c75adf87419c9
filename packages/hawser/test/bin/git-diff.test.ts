import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { countUntracked, gitDiff } from "../../src/bin/council/git-diff.js";
import { readChanges } from "../../src/bin/council/read-subject.js";

const ROOT = realpathSync(mkdtempSync(join(tmpdir(), "hawser-git-")));
afterAll(() => rmSync(ROOT, { recursive: true, force: true }));

// The settings of the user who runs the tests must not count.
const OWN = { HOME: ROOT, GIT_CONFIG_NOSYSTEM: "1" };
const before = Object.keys(OWN).map((name) => [name, process.env[name]] as const);
beforeAll(() => void Object.assign(process.env, OWN));
afterAll(() => {
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

class Repository {
  readonly path: string;

  constructor(name: string) {
    this.path = join(ROOT, name);
    mkdirSync(this.path);
    this.git("init", "-q", "-b", "main");
  }

  git(...args: readonly string[]): string {
    const author = [
      "-c",
      "user.name=a",
      "-c",
      "user.email=a@b",
      "-c",
      "protocol.file.allow=always",
    ];
    const options = { cwd: this.path, encoding: "utf8", timeout: 60_000, stdio: "pipe" } as const;
    return execFileSync("git", [...author, ...args], options);
  }

  write(file: string, text: string | Uint8Array): void {
    writeFileSync(join(this.path, file), text);
  }

  commit(file: string, text: string | Uint8Array): void {
    this.write(file, text);
    this.git("add", ".");
    this.git("commit", "-q", "-m", file);
  }
}

/** A program that leaves a trace when it runs. It reads nothing, so that Git never waits for it. */
function trap(name: string): string {
  const path = join(ROOT, `${name}.sh`);
  writeFileSync(path, `#!/bin/sh\ntouch ${join(ROOT, `${name}.ran`)}\nexec 1>&-\nexit 1\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Files outside of the repositories, and a repository that is not the hostile one. */
function secrets(): void {
  for (const name of ["secrets", "neighbour"]) {
    mkdirSync(join(ROOT, name, ...(name === "neighbour" ? [".git"] : [])), { recursive: true });
    writeFileSync(join(ROOT, name, "key.txt"), "secret\n");
  }
}

function sprung(): string[] {
  return readdirSync(ROOT).filter((name) => name.endsWith(".ran"));
}

describe("gitDiff()", () => {
  it("has staged and unstaged changes, deleted and renamed files, and no content of binary ones", async () => {
    const here = new Repository("changes");
    here.commit("staged.txt", "one\n");
    here.commit("unstaged.txt", "one\n");
    here.commit("gone.txt", "gone\n");
    here.commit("old.txt", "a long line that stays\nanother line that stays\n");
    here.commit("image.bin", new Uint8Array([0, 1, 2]));
    here.write("staged.txt", "one\nstaged\n");
    here.git("add", ".");
    here.write("unstaged.txt", "one\nunstaged\n");
    here.write("image.bin", new Uint8Array([0, 3]));
    here.git("mv", "old.txt", "new.txt");
    rmSync(join(here.path, "gone.txt"));
    const diff = await gitDiff(here.path, undefined);
    for (const line of [
      "+++ b/staged.txt",
      "+staged",
      "+unstaged",
      "-gone",
      "rename from old.txt",
      "rename to new.txt",
      "Binary files a/image.bin and b/image.bin differ",
    ]) {
      expect(diff.split("\n")).toContain(line);
    }
  });

  it("has all that is added if there is no commit yet", async () => {
    const here = new Repository("no-commit");
    here.write("first.txt", "hello\n");
    here.git("add", ".");
    expect(await gitDiff(here.path, undefined)).toContain("+hello");
  });

  it("has the changes of a range, and the whole repository in a subfolder", async () => {
    const here = new Repository("range");
    here.commit("a.txt", "a\n");
    here.git("switch", "-q", "-c", "branch");
    here.commit("b.txt", "branch\n");
    mkdirSync(join(here.path, "sub"));
    here.git("config", "diff.relative", "true");
    here.git("config", "diff.noprefix", "true");
    here.git("config", "color.ui", "always");
    const diff = await gitDiff(join(here.path, "sub"), "main...HEAD");
    expect(diff).toContain("+++ b/b.txt\n@@ -0,0 +1 @@\n+branch\n");
  });

  it("has bytes that are no UTF-8 as replacement characters", async () => {
    const here = new Repository("latin");
    here.commit("a.txt", "one\n");
    here.write("a.txt", new Uint8Array([0x6f, 0xe9, 0x0a]));
    expect(await gitDiff(here.path, undefined)).toContain("+o\ufffd\n");
  });

  it("runs no program that the configuration of the repository names", async () => {
    const here = new Repository("hostile");
    const evil = trap("clean");
    here.commit(
      ".gitattributes",
      "*.one filter=one\n*.two filter=two\n*.txt diff=conv\n*.odd filter=a=b.c\n",
    );
    for (const file of ["a.one", "b.two", "c.txt", "d.odd", "same.txt"]) here.commit(file, "old\n");
    for (const [name, value] of [
      ["core.fsmonitor", trap("fsmonitor")],
      ["core.pager", trap("pager")],
      ["pager.diff", trap("pager-diff")],
      ["core.hooksPath", join(ROOT, "hooks")],
      ["diff.external", trap("external")],
      ["diff.conv.command", trap("command")],
      ["diff.conv.textconv", trap("textconv")],
      ["filter.one.clean", evil],
      ["filter.one.required", "true"],
      ["filter.a=b.c.clean", evil],
      ["include.path", join(ROOT, "included")],
    ] as const) {
      here.git("config", name, value);
    }
    writeFileSync(join(ROOT, "included"), `[filter "two"]\n\tprocess = ${trap("process")}\n`);
    mkdirSync(join(ROOT, "hooks"));
    execFileSync("cp", [trap("hook"), join(ROOT, "hooks", "post-index-change")]);
    for (const file of ["a.one", "b.two", "c.txt", "d.odd"]) here.write(file, "new\n");
    // Git refreshes its index if a file has its old text and a new time.
    here.write("same.txt", "old\n");
    const index = statSync(join(here.path, ".git", "index")).mtimeMs;
    expect((await gitDiff(here.path, undefined)).match(/^\+new$/gm)).toHaveLength(4);
    await countUntracked(here.path);
    expect(sprung()).toEqual([]);
    expect(statSync(join(here.path, ".git", "index")).mtimeMs).toBe(index);
    // The traps work: Git itself runs into one.
    try {
      here.git("-c", "filter.two.process=", "diff");
    } catch {}
    expect(sprung()).not.toEqual([]);
    for (const name of sprung()) rmSync(join(ROOT, name));
  });

  it("fetches no missing object by a program that the configuration names", async () => {
    const here = new Repository("partial");
    here.commit("a.txt", "one\n");
    const blob = here.git("rev-parse", "HEAD:a.txt").trim();
    rmSync(join(here.path, ".git", "objects", blob.slice(0, 2), blob.slice(2)), { force: true });
    here.git("config", "core.repositoryFormatVersion", "1");
    here.git("config", "extensions.partialClone", "origin");
    here.git("config", "remote.origin.promisor", "true");
    here.git("config", "protocol.ext.allow", "always");
    here.git("config", "remote.origin.url", `ext::${trap("transport")}`);
    here.write("a.txt", "two\n");
    await expect(gitDiff(here.path, undefined)).rejects.toMatchObject({ code: "invalid_options" });
    expect(sprung()).toEqual([]);
    try {
      here.git("diff");
    } catch {}
    expect(sprung()).toEqual(["transport.ran"]);
    rmSync(join(ROOT, "transport.ran"));
  });

  it("shows a submodule as its commit, and runs nothing in it", async () => {
    const [inner, outer] = [new Repository("inner"), new Repository("outer")];
    inner.commit("a.txt", "one\n");
    outer.git("submodule", "--quiet", "add", inner.path, "module");
    outer.git("commit", "-q", "-m", "module");
    const module = join(outer.path, "module");
    execFileSync("git", ["config", "core.fsmonitor", trap("submodule")], { cwd: module });
    writeFileSync(join(module, "a.txt"), "dirty\n");
    expect(await gitDiff(outer.path, undefined)).toBe("");
    expect(sprung()).toEqual([]);
    inner.commit("b.txt", "two\n");
    execFileSync("git", ["-c", "core.fsmonitor=false", "pull", "-q"], { cwd: module });
    expect(await gitDiff(outer.path, undefined)).toMatch(/^\+Subproject commit [0-9a-f]{40}$/m);
    expect(existsSync(join(ROOT, "submodule.ran"))).toBe(false);
  });

  it.each([
    ["a relative path", () => "../../secrets"],
    ["an absolute path", () => join(ROOT, "secrets")],
    ["the folder above", () => "../.."],
    ["another repository", () => join(ROOT, "neighbour")],
  ])("refuses a repository whose core.worktree is %s", async (title, path) => {
    secrets();
    const here = new Repository(`worktree-${title.replaceAll(" ", "-")}`);
    mkdirSync(join(here.path, "sub"));
    here.commit("key.txt", "old\n");
    here.git("config", "core.worktree", path());
    // Git itself reads there.
    if (title !== "the folder above") expect(here.git("diff", "HEAD")).toContain("+secret");
    for (const folder of [here.path, join(here.path, "sub"), join(here.path, ".git")]) {
      for (const range of [undefined, "HEAD"]) {
        await expect(gitDiff(folder, range)).rejects.toMatchObject({
          code: "invalid_options",
          message: expect.stringMatching(/^The work tree of this repository is /),
          hint: expect.stringContaining("core.worktree"),
        });
      }
    }
    await expect(countUntracked(here.path)).rejects.toMatchObject({ code: "invalid_options" });
  });

  it("refuses core.worktree of a repository without a .git inside of another one", async () => {
    secrets();
    const here = new Repository("worktree-embedded");
    here.commit("key.txt", "old\n");
    here.git("config", "core.worktree", join(ROOT, "secrets"));
    const inner = join(new Repository("worktree-around").path, "inner");
    cpSync(join(here.path, ".git"), inner, { recursive: true });
    await expect(gitDiff(inner, undefined)).rejects.toThrow("The work tree of this repository");
  });

  it("lets GIT_WORK_TREE of the user count", async () => {
    secrets();
    const here = new Repository("worktree-chosen");
    here.commit("key.txt", "old\n");
    here.git("config", "core.worktree", join(ROOT, "neighbour"));
    process.env["GIT_WORK_TREE"] = join(ROOT, "secrets");
    try {
      expect(await gitDiff(here.path, undefined)).toContain("+secret");
    } finally {
      delete process.env["GIT_WORK_TREE"];
    }
  });

  it("works in a hook, where Git sets GIT_DIR", async () => {
    const here = new Repository("hook");
    here.commit("a.txt", "one\n");
    here.write("a.txt", "two\n");
    process.env["GIT_DIR"] = ".git";
    try {
      expect(await gitDiff(here.path, undefined)).toContain("+two");
      here.git("config", "core.worktree", ROOT);
      await expect(gitDiff(here.path, undefined)).rejects.toThrow("The work tree of this");
    } finally {
      delete process.env["GIT_DIR"];
    }
  });

  it.each(["../secrets/key.txt", "/a/path/to/key.txt", "a/../../../key.txt"])(
    "refuses an index with the name %s",
    async (name) => {
      secrets();
      const here = new Repository(`index-${name.replaceAll("/", "_")}`);
      const plain = "x".repeat(name.length);
      here.commit(plain, "old\n");
      const path = join(here.path, ".git", "index");
      const index = readFileSync(path);
      index.write(name, index.indexOf(plain), "latin1");
      const body = index.subarray(0, -20);
      writeFileSync(path, Buffer.concat([body, createHash("sha1").update(body).digest()]));
      // Git itself reads there.
      if (name.startsWith("../")) expect(here.git("diff", "HEAD")).toContain("+secret");
      for (const range of [undefined, "HEAD"]) {
        await expect(gitDiff(here.path, range)).rejects.toMatchObject({
          code: "invalid_options",
          message: expect.stringContaining(`names a file outside of it: "${name}"`),
        });
      }
    },
  );

  it("works in a work tree of git worktree add, in a submodule, and with a separate .git", async () => {
    const [main, inner, outer] = ["main-tree", "inner-tree", "outer-tree"].map(
      (name) => new Repository(name),
    ) as [Repository, Repository, Repository];
    main.commit("a.txt", "one\n");
    inner.commit("a.txt", "one\n");
    outer.git("submodule", "--quiet", "add", inner.path, "module");
    main.git("worktree", "add", "-q", join(ROOT, "linked-tree"));
    // Each work tree has settings of its own.
    main.git("config", "extensions.worktreeConfig", "true");
    const separate = join(ROOT, "separate-tree");
    main.git("clone", "-q", "--separate-git-dir", join(ROOT, "separate.git"), main.path, separate);
    for (const folder of [join(ROOT, "linked-tree"), join(outer.path, "module"), separate]) {
      mkdirSync(join(folder, "sub"));
      writeFileSync(join(folder, "a.txt"), "two\n");
      expect(await gitDiff(folder, undefined)).toContain("-one\n+two\n");
      expect(await gitDiff(join(folder, "sub"), "HEAD")).toContain("-one\n+two\n");
      expect(await countUntracked(folder)).toBe(0);
    }
    expect(readFileSync(join(outer.path, ".git", "modules", "module", "config"), "utf8")).toContain(
      "worktree = ../../../module",
    );
    // The setting of a linked work tree counts there, and is refused like any other.
    const own = { cwd: join(ROOT, "linked-tree") };
    execFileSync("git", ["config", "--worktree", "core.worktree", ROOT], own);
    await expect(gitDiff(own.cwd, undefined)).rejects.toThrow("The work tree of this repository");
    expect(await gitDiff(main.path, undefined)).toBe("");
  });

  it("reads a range of a bare repository", async () => {
    const here = new Repository("to-clone");
    here.commit("a.txt", "one\n");
    here.commit("a.txt", "two\n");
    const bare = join(ROOT, "bare.git");
    here.git("clone", "-q", "--bare", here.path, bare);
    expect(await gitDiff(bare, "HEAD~1..HEAD")).toContain("-one\n+two\n");
    await expect(gitDiff(bare, undefined)).rejects.toMatchObject({ code: "invalid_options" });
  });

  it.each([
    ["no repository", () => ROOT, undefined, "Run it in a repository"],
    ["a range that is an option", () => ROOT, "--output=x", "See `hawser --help`."],
    ["a range that is not there", () => new Repository("empty").path, "a...b", "Correct --range"],
  ])("refuses %s", async (_, folder, range, hint) => {
    await expect(gitDiff(folder(), range)).rejects.toMatchObject({
      code: "invalid_options",
      hint: expect.stringContaining(hint),
    });
  });

  it("refuses a folder that is not there with cwd_not_found", async () => {
    await expect(gitDiff(join(ROOT, "no"), undefined)).rejects.toMatchObject({
      code: "cwd_not_found",
    });
  });

  it("refuses a diff over 4 MiB", async () => {
    const here = new Repository("large");
    here.write("a.txt", "x".repeat(4 * 2 ** 20));
    here.git("add", ".");
    await expect(gitDiff(here.path, undefined)).rejects.toThrow("The diff is larger than 4 MiB.");
  });
});

describe("readChanges()", () => {
  it("warns of new files that Git does not track, because no diff has them", async () => {
    const here = new Repository("untracked");
    here.commit("a.txt", "one\n");
    here.write("new.txt", "new\n");
    const warnings: string[] = [];
    const read = () => readChanges(undefined, here.path, (text) => warnings.push(text));
    await expect(read()).rejects.toMatchObject({
      message: expect.stringContaining("1 new file or folder that Git does not track"),
      hint: expect.stringContaining("git add --intent-to-add ."),
    });
    here.write("a.txt", "two\n");
    expect(await read()).toContain("+two");
    expect(warnings).toEqual([expect.stringContaining("is not reviewed.")]);
    here.git("add", "--intent-to-add", ".");
    mkdirSync(join(here.path, "empty"));
    expect(await read()).toContain("+new");
    expect(warnings).toHaveLength(1);
  });
});
