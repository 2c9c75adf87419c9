import { describe, expect, it } from "vitest";
import { cutValue } from "../../src/native/cut-value.js";
import { EventLog } from "../../src/native/event-log.js";
import { SecretMask } from "../../src/native/secret-mask.js";
import { SessionOwners } from "../../src/native/session-owners.js";
import { shapeEvent } from "../../src/native/shape-event.js";
import { StreamLimit } from "../../src/native/stream-limit.js";
import { type TextPiece, TextPieces } from "../../src/native/text-pieces.js";
import { nativeWorld } from "./native-world.helper.js";

describe("the sessions of the native API", () => {
  const world = nativeWorld({ maxSessions: 1, sessionIdleMs: 300 });

  it("are limited for each tenant, and closed when they are idle", async () => {
    const reader = await world.events();
    const { id } = await world.open("alice");
    const refused = await world.post("/sessions", { agent: "helper" }, "alice");
    expect(refused).toMatchObject({
      status: 429,
      body: { error: { code: "rate_limit_exceeded" } },
    });
    const { data: end } = await reader.untilKind("session.end", 0);
    expect(end).toMatchObject({ session: id, outcome: "closed" });
    expect((await world.post("/sessions", { agent: "helper" }, "alice")).status).toBe(201);
    reader.leave();
  });
});

describe("a session of the native API", () => {
  const world = nativeWorld();

  it("says why its process ended", async () => {
    const reader = await world.events();
    const { id } = await world.open("bob");
    const { body } = await world.get(`/sessions/${id}`, "bob");
    process.kill(body.session.pid, "SIGKILL");
    const { data: end } = await reader.until(
      ({ data }) => data.kind === "session.end" && data.session === id,
      0,
    );
    expect(end).toMatchObject({
      outcome: "process_exited",
      error: { code: "process_exited", signal: "SIGKILL" },
    });
    expect((await world.get(`/sessions/${id}`, "bob")).body.session).toMatchObject({
      status: "ended",
      outcome: "process_exited",
    });
    reader.leave();
  });
});

describe("SessionOwners", () => {
  it("forgets ids of the tenant that has the most", () => {
    const owners = new SessionOwners(10);
    owners.onSessionId("bob-1", "bob");
    for (let i = 0; i < 50; i += 1) owners.onSessionId(`alice-${i}`, "alice");
    expect(owners.tenantOfId("bob-1")).toBe("bob");
    expect(owners.tenantOfId("alice-0")).toBeUndefined();
    expect(owners.tenantOfId("alice-49")).toBe("alice");
    owners.onSessionId("alice-49", "bob");
    expect(owners.tenantOfId("alice-49")).toBe("bob");
  });
});

describe("EventLog", () => {
  const event = (number: number, size = 1) => ({
    number,
    kind: "tool.end",
    visibleTo: undefined,
    session: undefined,
    sessionId: undefined,
    json: "{}",
    size,
  });

  it("keeps the newest events by count and by bytes", () => {
    const log = new EventLog({ maxEvents: 3, maxBytes: 100 });
    for (let n = 1; n <= 5; n += 1) log.append(event(n));
    expect([log.oldest, log.last, log.bytes]).toEqual([3, 5, 3]);
    expect([log.has(1), log.has(2), log.has(5), log.has(6)]).toEqual([false, true, true, false]);
    expect([log.get(2), log.get(3)?.number, log.get(6)]).toEqual([undefined, 3, undefined]);
    log.append(event(6, 99));
    expect([log.oldest, log.bytes]).toEqual([5, 100]);
    // One event that is too large is kept, so that readers get it.
    log.append(event(7, 1000));
    expect([log.oldest, log.last]).toEqual([7, 7]);
  });

  it("knows the ids of its own run only", () => {
    const log = new EventLog();
    expect(log.numberOf(log.idOf(12))).toBe(12);
    for (const id of ["", "12", "00000000-12", `${log.run}-`, `${log.run}-1-2`, `${log.run}-1e3`]) {
      expect(log.numberOf(id)).toBeUndefined();
    }
  });
});

describe("cutValue()", () => {
  const limits = { text: 10, total: 25, entries: 3, depth: 2 };
  const cut = (value: unknown) => cutValue(value, "input", (text) => text, limits);

  it("keeps small values, and names what it cuts", () => {
    expect(cut({ a: "b", c: [1, null, true] })).toEqual({
      value: { a: "b", c: [1, null, true] },
      cut: [],
    });
    expect(cut("x".repeat(11))).toEqual({ value: "x".repeat(10), cut: ["input"] });
    expect(cut({ list: [1, 2, 3, 4] })).toEqual({
      value: { list: [1, 2, 3] },
      cut: ["input.list"],
    });
    expect(cut({ a: { b: { c: 1 } } })).toEqual({ value: { a: { b: null } }, cut: ["input.a.b"] });
    const long = cut(["1234567890", "1234567890", "1234567890"]);
    expect(long).toEqual({ value: ["1234567890", "1234567890", "12345"], cut: ["input[2]"] });
  });

  it("cuts no character in half, and keeps a field named __proto__ as data", () => {
    expect(cut(`${"x".repeat(9)}\u{1f680}`).value).toBe("x".repeat(9));
    const { value } = cut(JSON.parse('{"__proto__":{"a":1}}'));
    expect(JSON.stringify(value)).toBe('{"__proto__":{"a":1}}');
  });
});

describe("StreamLimit", () => {
  const open = (limit: StreamLimit, tenant: string) => () => limit.open(tenant);
  const refusal = (message: string) =>
    expect.objectContaining({
      code: "rate_limit_exceeded",
      message: expect.stringContaining(message),
    });

  it("refuses the 101st stream of a tenant, and says what to do", () => {
    const limit = new StreamLimit();
    const [first] = Array.from({ length: 100 }, open(limit, "alice"));
    expect(open(limit, "alice")).toThrow(refusal("Close one of them."));
    const bob = limit.open("bob");
    first?.();
    first?.();
    limit.open("alice");
    expect(open(limit, "alice")).toThrow(refusal("You read 100 streams"));
    bob();
  });

  it("refuses a stream of any tenant if all together read 512", () => {
    const limit = new StreamLimit();
    const streams = Array.from({ length: 512 }, (_, n) => limit.open(`tenant ${n}`));
    expect(open(limit, "bob")).toThrow(refusal("All clients together"));
    streams[0]?.();
    limit.open("bob");
  });
});

describe("shapeEvent()", () => {
  const { mask } = new SecretMask({}, ["known-secret-of-twenty"]);
  const names = {
    id: "r-1",
    at: 0,
    tenant: undefined,
    call: undefined,
    session: undefined,
    sessionId: undefined,
    turn: undefined,
  };
  const secrets = ["known-secret-of-twenty", `sk-ant-${"a".repeat(90)}`];

  it.each(secrets)("shows no half of a secret at the end of a text that is cut: %s", (secret) => {
    for (const rest of [1, 4, secret.length - 1]) {
      const long = `${"x ".repeat(32_768).slice(rest)}${secret}${" y".repeat(100_000)}`;
      const text = shapeEvent("turn.text", names, { text: long }, mask);
      const error = shapeEvent("turn.end", names, { error: new Error(long) }, mask);
      for (const shown of [text, error]) {
        expect(JSON.stringify(shown)).not.toContain(secret.slice(0, Math.max(rest, 3)));
      }
      const tail = `${"x ".repeat(100_000)}${secret}${"y ".repeat(2000).slice(rest)}`;
      const failed = Object.assign(new Error("no"), { stderrTail: tail });
      const end = JSON.stringify(shapeEvent("session.end", names, { error: failed }, mask));
      expect(end).toContain("y y");
      expect(end).not.toContain(secret.slice(-Math.max(rest, 3)));
    }
  });

  it("shows no half of a secret behind many secrets, which make the text shorter", () => {
    const secret = "known-secret-of-twenty";
    const value = `${`${secret} `.repeat(2000)}${secret}`;
    for (let cut = 0; cut < secret.length; cut += 1) {
      const input = value.slice(0, 34_768 - cut) + secret + " z".repeat(100_000);
      const shown = JSON.stringify(cutValue(input, "input", mask).value);
      expect(shown).not.toMatch(/known/);
    }
  });
});

describe("SecretMask", () => {
  it("hides a secret also in JSON text, in which some of its characters are escaped", () => {
    const { mask } = new SecretMask({}, ['quo"ted\\secret']);
    expect(mask(JSON.stringify({ a: 'a quo"ted\\secret' }))).toBe('{"a":"a ***"}');
  });

  it("hides known secrets and texts with the shape of a credential", () => {
    const secrets = new SecretMask({ MY_API_KEY: "very-own-secret", PATH: "/usr/bin" }, [
      "told-secret",
    ]);
    secrets.learn({ env: { TENANT_TOKEN: "tenant-secret" } });
    const { mask } = secrets;
    expect(mask("a very-own-secret b told-secret c tenant-secret")).toBe("a *** b *** c ***");
    expect(mask("key sk-ant-api03-abcdefgh end")).toBe("key *** end");
    expect(mask("Authorization: Bearer abcdefghijklmnopqrst")).toBe("Authorization: Bearer ***");
    expect(mask("/usr/bin is a basic path")).toBe("/usr/bin is a basic path");
  });
});

describe("TextPieces", () => {
  const piece = (text: string, messageId = "a"): TextPiece => ({
    session: 1,
    turn: "t",
    sessionId: undefined,
    call: undefined,
    messageId,
    at: 0,
    text,
    thinking: "",
  });

  it("sends the first piece at once, and joins those that follow", () => {
    const sent: string[] = [];
    const pieces = new TextPieces(({ text }) => sent.push(text), 60_000);
    for (const text of ["a", "b", "c"]) pieces.add(piece(text));
    expect(sent).toEqual(["a"]);
    pieces.flush(1);
    expect(sent).toEqual(["a", "bc"]);
    pieces.add(piece("d"));
    pieces.add(piece("e", "other message"));
    expect(sent).toEqual(["a", "bc", "d"]);
    pieces.add(piece("f".repeat(20_000), "other message"));
    expect(sent).toHaveLength(4);
    pieces.forget(1);
  });
});
