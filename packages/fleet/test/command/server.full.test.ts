import { writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../support/postgres.js";
import { type Command, CommandHome } from "./hawser-command.helper.js";

let database: TestDatabase;
let home: CommandHome;
let worker: Command;
beforeAll(async () => {
  database = await createDatabase();
  home = new CommandHome();
  worker = home.start("worker", ...offline(), "--slots", "2", "--hold", "1ms");
  await worker.says("serves the database");
});
afterAll(async () => {
  await home?.[Symbol.asyncDispose]();
  await database?.dispose();
});

async function query(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

/** The simulated model, and the database of this file. */
const offline = () => ["--offline", "--database", database.url];

describe.concurrent("hawser submit", () => {
  it("prints the id of the run, and with --follow its answer", async () => {
    const queued = await home.run("submit", ...offline(), "What is a bowline?");
    expect(queued).toMatchObject({ code: 0, stderr: "" });
    expect(queued.stdout).toMatch(/^[0-9a-f-]{36}\n$/);
    const id = queued.stdout.trim();
    const followed = await home.run("runs", "follow", id.slice(0, 8), ...offline());
    expect(followed).toEqual({
      code: 0,
      stdout: "A bowline makes a loop that neither slips nor jams.\n",
      stderr: "",
    });
  });

  it("takes the options of a run", async () => {
    const schema = join(home.cwd, "schema.json");
    writeFileSync(schema, JSON.stringify({ type: "object", properties: { a: { const: 1 } } }));
    const { run } = await home.json(
      "submit",
      ...offline(),
      ...["--queue", "nowhere", "--tenant", "alice", "--priority", "high", "--key", "k1"],
      ...["--budget", "$0.5", "--deadline", "2h", "--timeout", "5m", "--attempts", "2"],
      ...["--metadata", "ticket=17", "--model", "sonnet", "--system", "Be brief."],
      ...["--allow", "Read", "--deny", "Bash", "--max-turns", "3", "--schema", schema, "Go."],
    );
    expect(run).toMatchObject({
      ...{ tenant: "alice", queue: "nowhere", priority: "high", key: "k1", budgetUsd: 0.5 },
      metadata: { ticket: "17" },
      options: {
        ...{ model: "sonnet", systemPrompt: "Be brief.", maxTurns: 3 },
        ...{ allowedTools: ["Read"], disallowedTools: ["Bash"] },
        schema: { type: "object", properties: { a: { const: 1 } } },
      },
    });
    const hours = (Date.parse(run.deadline) - Date.parse(run.createdAt)) / 3_600_000;
    expect(hours).toBeCloseTo(2, 1);
  });

  it("with --follow and --json, prints each event and the run as lines of JSON", async () => {
    const { stdout } = await home.run("submit", ...offline(), "--follow", "--json", "hello");
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines[0].run).toMatchObject({ state: "queued" });
    const events = lines.slice(1, -1);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
    expect(lines.at(-1).run).toMatchObject({ state: "done", outcome: { stop: "completed" } });
  });

  it("refuses a key with another request, and a folder that is no database URL", async () => {
    const submit = (...args: string[]) =>
      home.run("submit", ...offline(), "--queue", "nowhere", "--key", "twice", ...args);
    expect((await submit("One.")).code).toBe(0);
    const other = await submit("Two.");
    expect(other.code).toBe(64);
    expect(other.stderr).toContain('"twice"');
    expect(other.stderr).toContain("--start-after and --deadline may differ");
    const gone = await home.run("submit", "--database", "postgres://127.0.0.1:1/none", "Hi.");
    expect({ code: gone.code, stdout: gone.stdout }).toEqual({ code: 69, stdout: "" });
  });
});

describe.concurrent("hawser runs", () => {
  it("lists runs by tenant and state, and shows one", async () => {
    const submit = ["submit", ...offline(), "--queue", "nowhere", "--tenant", "lister"];
    const { stdout } = await home.run(...submit, "First\nline");
    const id = stdout.trim();
    await query(`update hawser.run set cost_usd = 0.00014000000000000001 where id = '${id}'`);
    const listed = await home.run("runs", ...offline(), "--tenant", "lister", "--state", "queued");
    const [row = ""] = listed.stdout.split("\n");
    const [whole, state, tenant, , cost, about] = row.split("\t");
    expect([whole, state, tenant, cost, about]).toEqual([
      id,
      "queued",
      "lister",
      "0.00014",
      "First line",
    ]);
    const shown = await home.run("runs", "show", id.slice(0, 8), ...offline());
    expect(shown.stdout).toContain(`run      ${id}`);
    expect(shown.stdout).toContain("state    queued");
    const none = await home.json("runs", ...offline(), "--tenant", "nobody");
    expect(none).toEqual({ runs: [], more: false });
  });

  it("cancels a run once, and follow exits with the code of its end", async () => {
    const { run } = await home.json("submit", ...offline(), "--queue", "nowhere", "Wait.");
    const follow = home.start("runs", "follow", run.id, ...offline());
    const cancel = ["runs", "cancel", run.id, ...offline(), "--reason", "Not needed."];
    const cancelled = await home.run(...cancel);
    expect(cancelled).toMatchObject({ code: 0, stdout: `${run.id} cancelled\n` });
    expect(await follow.ended).toMatchObject({ code: 130, stdout: "" });
    expect((await home.run(...cancel)).code).toBe(1);
    expect((await home.run("runs", "retry", run.id, ...offline())).code).toBe(1);
  });

  it("says which run is unknown or meant by several", async () => {
    const unknown = await home.run("runs", "show", "ffff0000", ...offline());
    expect(unknown.code).toBe(64);
    expect(unknown.stderr).toContain('There is no run "ffff0000"');
    const whole = await home.json(
      "runs",
      "show",
      "00000000-0000-4000-8000-000000000000",
      ...offline(),
    );
    expect(whole.error).toMatchObject({ code: "invalid_options" });
  });
});

describe.concurrent("hawser approve", () => {
  it("lists the question of a parked run, and the first answer counts", async () => {
    const { run } = await home.json("submit", ...offline(), "write knot.txt: bowline");
    const follow = home.start("runs", "follow", run.id, ...offline());
    await follow.says("waits for an answer");
    // The command that is printed works when it is copied.
    expect(follow.stderr).toMatch(/\(hawser approve [0-9a-f]{8} --offline --database \S+\)\n$/);
    expect(follow.stderr).toContain(` --database '${database.url}')`);
    const details = await home.run("runs", "show", run.id, ...offline());
    expect(details.stdout).toMatch(/^question {2}Write .*\(hawser approve [0-9a-f]{8} --offline/m);
    const { approvals } = await home.json("approve", ...offline(), "--run", run.id);
    expect(approvals).toMatchObject([{ run: run.id, kind: "tool", tool: "Write" }]);
    const [{ id }] = approvals;
    const listed = await home.run("approve", ...offline(), "--run", run.id);
    expect(listed.stdout.split("\t").slice(0, 2)).toEqual([id, run.id]);
    const shown = await home.run("approve", id, ...offline());
    expect(JSON.parse(shown.stdout)).toMatchObject({ approval: { id } });
    const wrong = await home.run("approve", id, "--answer", "{}", ...offline());
    expect({ code: wrong.code, stderr: wrong.stderr }).toEqual({
      code: 64,
      stderr: expect.stringContaining("allowed or denied, not answered"),
    });
    const both = await Promise.all(
      ["--allow", "--allow"].map((flag) =>
        home.json("approve", id, flag, "--by", "ada", ...offline()),
      ),
    );
    expect(both.map(({ result }) => result).sort()).toEqual(["counted", "too_late"]);
    const late = await home.run("approve", id, "--deny", "No.", ...offline());
    expect(late.code).toBe(75);
    expect(late.stderr).toContain("answered by ada");
    const { code, stdout } = await follow.ended;
    expect(code).toBe(0);
    expect(stdout).toContain("knot.txt");
  });

  it("tells the model why a call was denied", async () => {
    const { run } = await home.json("submit", ...offline(), "write other.txt: bowline");
    const follow = home.start("runs", "follow", run.id, ...offline());
    await follow.says("waits for an answer");
    const { approvals } = await home.json("approve", ...offline(), "--run", run.id);
    const denied = await home.run(
      "approve",
      approvals[0].id,
      "--deny",
      "Use a hitch.",
      ...offline(),
    );
    expect(denied.code).toBe(0);
    expect((await follow.ended).stdout).toContain("Use a hitch.");
  });
});

describe.concurrent("hawser fleet", () => {
  it("shows workers and runs", async () => {
    const stats = await home.json("fleet", "status", ...offline());
    expect(stats).toMatchObject({ database: { kind: "server", schemaVersion: 1 } });
    expect(stats.hosts).toMatchObject([{ slots: 2 }]);
    const { stdout } = await home.run("fleet", ...offline());
    expect(stdout).toMatch(/^database {3}server, Postgres \d/);
    expect(stdout).toMatch(/: \d of 2 slots, seen \d+ s ago$/m);
    await query(
      `insert into hawser.host (name, slots, queues, hawser, seen_at)
       values ('dead', 3, 'nowhere', '0', now() - interval '1 minute')`,
    );
    const later = await home.run("fleet", ...offline());
    expect(later.stdout).toMatch(/dead: 0 of 3 slots, seen 1 min ago, gone$/m);
    await query("delete from hawser.host where name = 'dead'");
  });

  it("sets limits of tenants and accounts, and shows them with what was spent", async () => {
    const set = ["fleet", "tenant", "set", "acme", "--concurrency", "4", "--budget-day", "20"];
    expect(await home.json(...set, "--on-budget", "wait", "--pause", ...offline())).toMatchObject({
      tenant: "acme",
      limits: { concurrency: 4, budgetUsd: { day: 20 }, onBudget: "wait", paused: true },
    });
    const changed = ["fleet", "tenant", "set", "acme", "--concurrency", "none", "--resume"];
    expect(await home.json(...changed, ...offline())).toMatchObject({
      limits: { budgetUsd: { day: 20 }, paused: false },
    });
    const { stdout } = await home.run("fleet", "tenant", "show", "acme", ...offline());
    expect(stdout).toMatch(/^concurrency {2}no limit$/m);
    expect(stdout).toMatch(/^budget {7}\$20.00 a day; then wait$/m);
    expect(stdout).toMatch(/^today {8}0 runs, \$0.00$/m);
    const pause = ["fleet", "account", "set", "spare", "--pause-until", "1h", "--concurrency", "2"];
    expect((await home.run(...pause, ...offline())).code).toBe(0);
    const { accounts } = await home.json("fleet", ...offline());
    expect(accounts).toContainEqual(expect.objectContaining({ account: "spare" }));
    expect(
      (await home.run("fleet", "account", "set", "spare", "--resume", ...offline())).code,
    ).toBe(0);
  });

  it("prunes what ended, and makes the tables of a new database", async () => {
    const pruned = await home.json("fleet", "prune", "--older-than", "1h", ...offline());
    expect(pruned).toEqual({ runs: 0 });
    const fresh = await createDatabase({ empty: true });
    try {
      const place = ["--database", fresh.url];
      const refused = await home.run("runs", ...place);
      expect({ code: refused.code, stderr: refused.stderr }).toEqual({
        code: 69,
        stderr: expect.stringContaining("hawser fleet migrate"),
      });
      expect((await home.run("fleet", "migrate", ...place)).stdout).toContain("schema 1");
      expect(await home.json("runs", ...place)).toEqual({ runs: [], more: false });
    } finally {
      await fresh.dispose();
    }
  });

  it("copies a fleet into a database that has none, and never over another one", async () => {
    const target = await createDatabase({ empty: true });
    const source = await createDatabase();
    try {
      const from = ["--database", source.url];
      const { run } = await home.json("submit", ...from, "Copied.");
      const copy = ["fleet", "copy", ...from, "--to", target.url];
      expect((await home.run(...copy)).code).toBe(0);
      const copied = await home.json("runs", "show", run.id, "--database", target.url);
      expect(copied.run).toEqual(run);
      const again = await home.run(...copy);
      expect({ code: again.code, stderr: again.stderr }).toEqual({
        code: 64,
        stderr: expect.stringContaining("has a fleet already"),
      });
    } finally {
      await source.dispose();
      await target.dispose();
    }
  });
});

describe.concurrent("hawser worker", () => {
  it("logs lines of JSON without prompts", async () => {
    const secret = "prompt-that-must-not-be-logged";
    const { run } = await home.json("submit", ...offline(), "--follow", secret);
    const lines = worker.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const about = lines.filter((line) => line.run === run.id);
    expect(about).toMatchObject([
      { level: "info", message: "segment begins", profile: "default", how: "new" },
      { level: "info", message: "segment ends" },
    ]);
    expect(worker.stdout).not.toContain(secret);
  });

  it("tells why a host could not go on with a run, and what to do", async () => {
    const profiles = join(home.cwd, "unable.mjs");
    const code = 'export const profiles = { default: () => ({ cwd: "/nowhere" }) };';
    writeFileSync(profiles, code);
    const place = ["--database", database.url];
    const unable = home.start("worker", ...place, "--profiles", profiles, "--label", "unable");
    await unable.says("serves");
    const submit = ["submit", ...place, "--queue", "unable", "--attempts", "2", "--follow", "Hi."];
    const { code: exitCode, stderr } = await home.run(...submit);
    expect(exitCode).toBe(66);
    const told = stderr.split("\n").filter((line) => line.includes("could not go on"));
    expect(told).toEqual([
      expect.stringMatching(/\/nowhere .* The run waits for another attempt\.$/),
      expect.not.stringContaining("another attempt"),
    ]);
    expect(stderr).not.toContain("Another one continues");
    const id = / run ([0-9a-f-]{36})/.exec(stderr)?.[1] ?? "";
    const shown = await home.run("runs", "show", id, ...place);
    expect(shown.stdout).toContain("Create the folder, or correct --cwd.");
    unable.child.kill("SIGTERM");
    await unable.ended;
  });

  it("has no such profile: the run fails, and nobody is told to start a worker", async () => {
    const { code, stderr } = await home.run(
      ...["submit", "--follow", "--profile", "unknown", ...offline(), "hello"],
    );
    expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining("no profile") });
    expect(stderr).not.toContain("No worker serves");
  });

  it("works with the profiles of a module, and ends with 0 after SIGTERM", async () => {
    const profiles = join(home.cwd, "profiles.js");
    writeFileSync(
      profiles,
      `export const profiles = { brief: (run) => ({ systemPrompt: "For " + run.tenant }) };
       export const approve = () => "allow";`,
    );
    const other = home.start(
      ...["worker", ...offline(), "--profiles", profiles, "--label", "special", "--json"],
    );
    await other.says('"event":"working"');
    const [start = ""] = other.stdout.split("\n");
    expect(JSON.parse(start)).toMatchObject({ profiles: ["brief"], queues: ["special"] });
    const run = ["submit", ...offline(), "--queue", "special", "--profile", "brief", "--follow"];
    const { stdout } = await home.run(...run, "run touch made; ls");
    expect(stdout).toContain("made");
    other.child.kill("SIGTERM");
    expect(await other.ended).toMatchObject({ code: 0 });
  });

  it("gives its run back at the second signal, and another worker ends it", async () => {
    const serve = ["worker", ...offline(), "--label", "handed"];
    const first = home.start(...serve);
    await first.says("serves");
    const submit = ["submit", ...offline(), "--queue", "handed", "count to 60"];
    const { run } = await home.json(...submit);
    const follow = home.start("runs", "follow", run.id, "--json", ...offline());
    await follow.says('"type":"text"');
    first.child.kill("SIGTERM");
    await first.says("A second signal ends it now");
    first.child.kill("SIGTERM");
    expect(await first.ended).toMatchObject({ code: 143 });
    const second = home.start(...serve);
    const { code, stdout } = await follow.ended;
    const last = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
    expect({ code, run: last.run }).toMatchObject({
      code: 0,
      run: { state: "done", segments: 2, deaths: 0 },
    });
    second.child.kill("SIGTERM");
    expect(await second.ended).toMatchObject({ code: 0 });
  });

  it.each([
    ["no CLI", 127, ["--cli", "/nowhere/claude"], undefined],
    ["a --cwd that does not exist", 66, ["--cwd", "/nowhere"], undefined],
    ["a profile whose folder does not exist", 66, [], '{ cwd: "/nowhere" }'],
    ["a profile with an unknown option", 64, [], '{ alowedTools: ["Bash"] }'],
  ] as const)("does not start with %s: exit code %i", async (name, code, flags, profile) => {
    const file = join(home.cwd, `${name.replaceAll(" ", "-")}.mjs`);
    writeFileSync(file, `export const profiles = { default: ${profile ?? "{}"} };`);
    const place = ["--database", database.url, "--label", "never"];
    const ended = await home.run("worker", "--profiles", file, ...place, ...flags);
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code, stdout: "" });
  });

  it.each([
    ["missing.js", undefined, "does not exist"],
    ["broken.js", "export const = 7;", "cannot be loaded"],
    ["empty.js", "export const profiles = {};", "exports no profiles"],
    ["odd.js", "export const profiles = { a: 7 };", "neither options nor a function"],
    ["more.js", "export const profiles = { a: {} }; export const slot = 3;", 'exports "slot"'],
  ])("refuses the profiles of %s", async (name, source, message) => {
    const file = join(home.cwd, name);
    if (source !== undefined) writeFileSync(file, source);
    const { code, stderr } = await home.run("worker", ...offline(), "--profiles", file);
    expect(code).toBe(64);
    expect(stderr).toContain(message);
  });
});
