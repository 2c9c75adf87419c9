import { execFile, execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { fakeCli, isolatedEnv, SimulatedModel } from "../../src/testing/index.js";
import { BUILT, BUILT_ROOT } from "../support/built.js";
import { clisInTurn } from "../support/cli.js";

const run = promisify(execFile);
const PROVIDERS = pathToFileURL(join(BUILT, "providers/index.js")).href;
const isRoot = process.getuid?.() === 0;
const STRANGER = 54323;
const SESSION = "11111111-2222-4333-8444-555555555555";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "hawser-scarce-"));
  chmodSync(path, 0o777);
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A configuration folder with one session. */
function configWithSession(): string {
  const config = folder();
  const project = join(config, "projects", "-work");
  mkdirSync(project, { recursive: true });
  const message = { role: "user", content: "hello" };
  const entry = { type: "user", uuid: SESSION, sessionId: SESSION, cwd: "/work", message };
  const stamped = { ...entry, parentUuid: null, timestamp: new Date().toISOString() };
  writeFileSync(join(project, `${SESSION}.jsonl`), `${JSON.stringify(stamped)}\n`);
  return config;
}

/** A fake CLI that every user can run. */
async function fake(): Promise<string> {
  const cli = await fakeCli();
  onTestFinished(() => cli.dispose());
  execFileSync("chmod", ["-R", "a+rX", join(cli.path, "..")]);
  return cli.path;
}

interface Host {
  /** Statements that come first, with the library as `hawser`. */
  readonly before?: string;
  /** Expressions by their names, each a promise. */
  readonly calls: Readonly<Record<string, string>>;
  readonly shell?: string;
}

/**
 * Runs a host program and gives what each call has come to: `code retryable`, or the value as text. The
 * host is alive at the end only if nothing was thrown outside of the calls.
 */
async function outcomes({ before = "", calls, shell = "" }: Host): Promise<Record<string, string>> {
  const program = `
    import * as hawser from ${JSON.stringify(BUILT_ROOT)};
    import { ClaudeCodeProvider } from ${JSON.stringify(PROVIDERS)};
    import { execFileSync } from "node:child_process";
    import * as fs from "node:fs";
    const hold = [];
    const fill = () => { try { for (;;) hold.push(fs.openSync("/dev/null")); } catch {} };
    const release = () => { for (const file of hold.splice(0)) fs.closeSync(file); };
    const outcome = (call) => Promise.resolve().then(call).then(
      (value) => "value " + JSON.stringify(value),
      (error) => hawser.isHawserError(error)
        ? [error.code, error.retryable, error.message].join(" ")
        : "raw " + error);
    ${before}
    const found = {};
    ${Object.entries(calls)
      .map(([name, call]) => `found[${JSON.stringify(name)}] = await outcome(async () => ${call});`)
      .join("\n")}
    // An error without a listener would end the host in a later turn of the event loop.
    await new Promise((resolve) => setTimeout(resolve, 50));
    release();
    process.stdout.write(JSON.stringify(found), () => process.exit(0));`;
  const args = ["-c", `${shell} exec "$0" "$@"`, process.execPath, "--input-type=module"];
  const { stdout } = await run("/bin/sh", [...args, "-e", program], { env: withoutHome() });
  return JSON.parse(stdout);
}

function withoutHome(): NodeJS.ProcessEnv {
  const { PATH } = process.env;
  return { PATH, TMPDIR: tmpdir(), HOME: tmpdir() };
}

describe.skipIf(process.platform === "win32")("a host at EMFILE", () => {
  it("gets spawn_failed from every call that asks for the version, and stays alive", async () => {
    const cliPath = JSON.stringify(await fake());
    const found = await outcomes({
      shell: "ulimit -n 64;",
      before: "fill();",
      calls: {
        complete: `hawser.complete("hi", { cliPath: ${cliPath} })`,
        openSession: `hawser.openSession({ cliPath: ${cliPath} })`,
        query: `hawser.query({ prompt: "hi", options: { cliPath: ${cliPath} } }).next()`,
        pool: `hawser.createPool().complete("hi", { cliPath: ${cliPath} })`,
        rawText: `new ClaudeCodeProvider({ cliPath: ${cliPath}, rawText: true })
          .complete({ systemPrompt: "", history: [], currentMessage: "hi" })`,
        user: `hawser.complete("hi", { cliPath: ${cliPath}, user: "nobody" })`,
        checkCli: `hawser.checkCli({ cliPath: ${cliPath} }).then(({ problem }) => { throw problem; })`,
        afterwards: `(release(), hawser.checkCli({ cliPath: ${cliPath} }).then(({ runnable }) => runnable))`,
      },
    });
    const { afterwards, ...failed } = found;
    for (const [name, outcome] of Object.entries(failed)) {
      expect(`${name} ${outcome}`).toMatch(new RegExp(`^${name} spawn_failed true .*EMFILE`));
    }
    expect(afterwards).toBe("value true");
  });

  it("gets spawn_failed wherever the descriptors run out during the start, and all pools can be closed", async () => {
    const cliPath = JSON.stringify(await fake());
    const calls = [1, 2, 3, 4].map((left) => [
      `${left} left`,
      `(fill(), hold.splice(0, ${left}).map((file) => fs.closeSync(file)), pool.complete("hi"))`,
    ]);
    const found = await outcomes({
      shell: "ulimit -n 64;",
      before: `
        const first = hawser.createPool();
        await first.complete("hi", { cliPath: ${cliPath} });
        await first.close();
        const calls = hawser.createPool();
        const pool = { complete: (prompt) => calls.complete(prompt, { cliPath: ${cliPath} }) };`,
      calls: { ...Object.fromEntries(calls), closed: "(release(), calls.close())" },
    });
    const { closed, ...failed } = found;
    for (const outcome of Object.values(failed))
      expect(outcome).toMatch(/^spawn_failed true .*EMFILE/);
    expect(closed).toBe("value undefined");
  });

  it("gets spawn_failed from a spawnClaudeCodeProcess that uses spawn()", async () => {
    const cliPath = JSON.stringify(await fake());
    const found = await outcomes({
      shell: "ulimit -n 64;",
      before: `
        import { spawn } from "node:child_process";
        const spawnClaudeCodeProcess = ({ command, args, cwd, env }) => spawn(command, args, { cwd, env });
        fill();`,
      calls: {
        own: `hawser.complete("hi", { cliPath: ${cliPath}, spawnClaudeCodeProcess })`,
      },
    });
    expect(found["own"]).toMatch(/^spawn_failed true .*EMFILE/);
  });

  it("gets storage_failed from the transcript functions", async () => {
    const options = JSON.stringify({ configDir: configWithSession() });
    const calls = {
      listSessions: `hawser.listSessions(${options}).then((all) => all.length)`,
      getSessionInfo: `hawser.getSessionInfo("${SESSION}", ${options}).then((it) => it.sessionId)`,
      getSessionMessages: `hawser.getSessionMessages("${SESSION}", ${options}).then((all) => all.length)`,
      renameSession: `hawser.renameSession("${SESSION}", "title", ${options})`,
      forkSession: `hawser.forkSession("${SESSION}", ${options}).then(() => "forked")`,
    };
    const full = await outcomes({ shell: "ulimit -n 64;", before: "fill();", calls });
    for (const [name, outcome] of Object.entries(full)) {
      expect(`${name} ${outcome}`).toMatch(new RegExp(`^${name} storage_failed true .*EMFILE`));
    }
    expect(await outcomes({ calls })).toEqual({
      listSessions: "value 1",
      getSessionInfo: `value "${SESSION}"`,
      getSessionMessages: "value 1",
      renameSession: "value undefined",
      forkSession: 'value "forked"',
    });
  });
});

describe.skipIf(!isRoot || process.platform !== "linux")("a host at EAGAIN", () => {
  it("gets spawn_failed, also before the version is known", async () => {
    const cliPath = JSON.stringify(await fake());
    const found = await outcomes({
      before: `
        process.setgroups([]);
        process.setgid(${STRANGER});
        process.setuid(${STRANGER});
        execFileSync("prlimit", ["--pid", String(process.pid), "--nproc=1:1"]);`,
      calls: {
        complete: `hawser.complete("hi", { cliPath: ${cliPath} })`,
        checkCli: `hawser.checkCli({ cliPath: ${cliPath} }).then(({ problem }) => { throw problem; })`,
      },
    });
    expect(found["complete"]).toMatch(/^spawn_failed true .*EAGAIN/);
    expect(found["checkCli"]).toMatch(/^spawn_failed true .*EAGAIN/);
  });
});

describe.skipIf(!isRoot || process.platform !== "linux")("a user without a home folder", () => {
  const before = `
    process.setgroups([]);
    process.setgid(${STRANGER});
    process.setuid(${STRANGER});
    delete process.env.HOME;
    delete process.env.CLAUDE_CONFIG_DIR;`;

  it("gets invalid_options with the options to set", async () => {
    const cliPath = JSON.stringify(await fake());
    const found = await outcomes({
      before,
      calls: {
        complete: `hawser.complete("hi", { cliPath: ${cliPath} })`,
        openSession: `hawser.openSession({ cliPath: ${cliPath} })`,
        listSessions: "hawser.listSessions()",
        locateCli: `hawser.locateCli({ cliPath: ${cliPath} }).path`,
        explain: `hawser.explain({ cliPath: ${cliPath} }).then((text) => typeof text)`,
        withConfigDir: `hawser.listSessions({ configDir: ${JSON.stringify(configWithSession())} })
          .then((all) => all.length)`,
      },
    });
    for (const name of ["complete", "openSession", "listSessions"]) {
      expect(found[name]).toMatch(/^invalid_options false The home folder is unknown/);
    }
    expect(found["locateCli"]).toBe(`value ${cliPath}`);
    expect(found["explain"]).toBe('value "string"');
    expect(found["withConfigDir"]).toBe("value 1");
  });

  it.each(clisInTurn())(
    "gets an answer of $name with configDir or HOME in its options",
    async ({ path }) => {
      await using model = await SimulatedModel.start({ replies: ["first", "second"] });
      await using world = await isolatedEnv({ baseUrl: model.url });
      execFileSync("chmod", ["-R", "a+rwX", join(world.cwd, "..")]);
      const { HOME, CLAUDE_CONFIG_DIR, ...env } = world.env;
      const options = { cliPath: path, env, inheritEnv: false, cwd: world.cwd };
      const call = (more: object) =>
        `hawser.complete("hi", ${JSON.stringify({ ...options, ...more })}).then(({ text }) => text)`;
      const found = await outcomes({
        before,
        calls: {
          configDir: call({ configDir: CLAUDE_CONFIG_DIR }),
          home: call({ env: { ...env, HOME } }),
        },
      });
      expect(found).toEqual({ configDir: 'value "first"', home: 'value "second"' });
    },
  );
});

describe.skipIf(process.platform === "win32")("a host whose current directory was deleted", () => {
  it("gets cwd_not_found, and an answer when cwd is set", async () => {
    const cliPath = JSON.stringify(await fake());
    const gone = join(folder(), "gone");
    const found = await outcomes({
      before: `
        fs.mkdirSync(${JSON.stringify(gone)});
        process.chdir(${JSON.stringify(gone)});
        fs.rmdirSync(${JSON.stringify(gone)});`,
      calls: {
        complete: `hawser.complete("hi", { cliPath: ${cliPath} })`,
        openSession: `hawser.openSession({ cliPath: ${cliPath} })`,
        query: `hawser.query({ prompt: "hi", options: { cliPath: ${cliPath} } }).next()`,
        pool: `hawser.createPool().complete("hi", { cliPath: ${cliPath} })`,
        explain: `hawser.explain({ cliPath: ${cliPath} })`,
        provider: `new ClaudeCodeProvider({ cliPath: ${cliPath}, rawText: true })
          .complete({ systemPrompt: "", history: [], currentMessage: "hi" })`,
        store: `hawser.listSessions({ sessionStore: new hawser.InMemorySessionStore() })`,
        checkCli: `hawser.checkCli({ cliPath: ${cliPath} }).then(({ runnable }) => runnable)`,
        withCwd: `hawser.complete("hi", { cliPath: ${cliPath}, cwd: "/" }).then(({ text }) => typeof text)`,
      },
    });
    const { checkCli, withCwd, ...failed } = found;
    for (const [name, outcome] of Object.entries(failed)) {
      expect(`${name} ${outcome}`).toContain(`${name} cwd_not_found false`);
    }
    expect([checkCli, withCwd]).toEqual(["value true", 'value "string"']);
  });

  it("gets cwd_not_found from the command", async () => {
    const gone = join(folder(), "gone");
    mkdirSync(gone);
    const main = join(BUILT, "bin/main.js");
    const script = 'cd "$0" && rmdir "$0" && exec "$@"';
    const command = [process.execPath, main, "ask", "--json", "--cli", await fake(), "hi"];
    const failure = await run("/bin/sh", ["-c", script, gone, ...command], {
      env: withoutHome(),
    }).catch((error) => error);
    expect(failure.code).toBe(66);
    expect(failure.stdout + failure.stderr).toContain("current directory of this program");
  });
});

describe.skipIf(!isRoot || process.platform !== "linux")("a transcript on a full disk", () => {
  it("is storage_failed for renameSession() and forkSession()", async ({ skip }) => {
    const config = configWithSession();
    const full = join(config, "projects");
    const session = join(full, "-work", `${SESSION}.jsonl`);
    const copy = join(config, "copy.jsonl");
    execFileSync("cp", [session, copy]);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", full]);
    } catch {
      skip("This container may not mount a file system.");
    }
    onTestFinished(() => {
      execFileSync("umount", [full]);
    });
    mkdirSync(join(full, "-work"));
    execFileSync("cp", [copy, session]);
    execFileSync("sh", ["-c", 'cat /dev/zero >> "$0" 2>/dev/null; true', session]);
    const options = JSON.stringify({ configDir: config });
    const title = "'x'.repeat(100000)";
    const found = await outcomes({
      calls: {
        renameSession: `hawser.renameSession("${SESSION}", ${title}, ${options})`,
        forkSession: `hawser.forkSession("${SESSION}", ${options})`,
      },
    });
    expect(found["renameSession"]).toMatch(/^storage_failed true .*ENOSPC/);
    expect(found["forkSession"]).toMatch(/^storage_failed true .*ENOSPC/);
  });
});
