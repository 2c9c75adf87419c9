import { fileURLToPath } from "node:url";
import { openSession, type Session } from "hawser";
import { type RecordedRequest, toolUse } from "hawser/testing";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { card, denyAll } from "./support/asking.js";
import { pageWorld } from "./support/page-world.js";

const SERVER = fileURLToPath(new URL("./support/elicitation-server.mjs", import.meta.url));

/** Every type that the protocol allows in a form, with defaults for some. */
const SCHEMA = {
  type: "object",
  required: ["ship", "length", "berth", "flag", "cargo", "captain"],
  properties: {
    ship: { type: "string", title: "Name of the ship", minLength: 2, maxLength: 40 },
    note: { type: "string", default: "none" },
    captain: { type: "string", format: "email" },
    page: { type: "string", format: "uri" },
    day: { type: "string", format: "date", default: "2026-11-17" },
    arrival: { type: "string", format: "date-time", default: "2026-11-17T06:30:00.000Z" },
    length: { type: "number", minimum: 1, maximum: 400 },
    crew: { type: "integer", minimum: 0, default: 7 },
    insured: { type: "boolean", default: true },
    pilot: { type: "boolean" },
    berth: { type: "string", enum: ["north", "south"], enumNames: ["North quay", "South quay"] },
    flag: {
      type: "string",
      oneOf: [
        { const: "NO", title: "Norway" },
        { const: "PT", title: "Portugal" },
      ],
      default: "PT",
    },
    cargo: {
      type: "array",
      minItems: 2,
      maxItems: 3,
      items: { type: "string", enum: ["rope", "salt", "fish", "tar"] },
    },
    tugs: {
      type: "array",
      items: {
        anyOf: [
          { const: "t1", title: "Samson" },
          { const: "t2", title: "Goliath" },
        ],
      },
      default: ["t2"],
    },
    empty: { type: "array", items: { type: "string", enum: ["x"] } },
  },
} as const;

const world = pageWorld();
let page: Page;
let session: Session;

beforeAll(async () => {
  page = await world.page("", { timezoneId: "Europe/Lisbon" });
  const { canUseTool, onElicitation } = world.approvals;
  session = await openSession({
    ...world.options,
    canUseTool,
    onElicitation,
    requireMcp: true,
    allowedTools: ["mcp__harbour__ask"],
    mcpServers: {
      harbour: {
        command: process.execPath,
        args: [SERVER],
        env: { ELICITATION_SCHEMA: JSON.stringify(SCHEMA) },
      },
    },
  });
});
afterAll(async () => {
  await session?.kill();
});
afterEach(async () => {
  await denyAll(world);
  expect(world.complaints).toEqual([]);
});

/** Lets the server ask, and resolves to what the model then gets from the tool. */
function askUser(): Promise<string> {
  return new Promise((resolve, reject) => {
    world.script(toolUse("mcp__harbour__ask", {}), (call) => {
      resolve(call.toolResults.at(-1)?.text ?? "");
      return "Moored.";
    });
    session.send("Moor the ship.").result.catch(reject);
  });
}

describe("a question of an MCP server, on the real CLI", () => {
  it("is a form with every type of the protocol, whose values reach the server as these types", async () => {
    const answer = askUser();
    const form = card(page, "Which berth?").locator("form");
    await form.waitFor();
    const send = form.getByRole("button", { name: "Send" });
    // The browser keeps back what does not fit.
    await send.click();
    const isValid = (label: string) =>
      form.getByLabel(label).evaluate((field) => (field as HTMLInputElement).checkValidity());
    expect(await isValid("Name of the ship")).toBe(false);
    await form.getByLabel("Name of the ship").fill("Ariadne");
    await form.getByLabel("captain").fill("nobody");
    expect(await isValid("captain")).toBe(false);
    await form.getByLabel("captain").fill("captain@example.com");
    await form.getByLabel("page").fill("no address");
    expect(await isValid("page")).toBe(false);
    await form.getByLabel("page").fill("https://example.com/");
    await form.getByLabel("length").fill("500");
    expect(await isValid("length")).toBe(false);
    await form.getByLabel("length").fill("42.5");
    await form.getByLabel("crew").fill("7.5");
    expect(await isValid("crew")).toBe(false);
    await form.getByLabel("crew").fill("12");
    expect(await isValid("berth")).toBe(false);
    await form.getByLabel("berth").selectOption({ label: "South quay" });
    await form.getByLabel("rope").check();
    await send.click();
    await form.getByText("cargo: choose at least 2.").waitFor();
    await form.getByLabel("fish").check();
    await form.getByLabel("pilot").check();
    await send.click();
    expect(JSON.parse(await answer)).toEqual({
      action: "accept",
      content: {
        ship: "Ariadne",
        note: "none",
        captain: "captain@example.com",
        page: "https://example.com/",
        day: "2026-11-17",
        arrival: "2026-11-17T06:30:00.000Z",
        length: 42.5,
        crew: 12,
        insured: true,
        pilot: true,
        berth: "south",
        flag: "PT",
        cargo: ["rope", "fish"],
        tugs: ["t2"],
      },
    });
  });

  it("is declined with the key d, and cancelled with the key c", async () => {
    for (const [key, action] of [
      ["d", "decline"],
      ["c", "cancel"],
    ] as const) {
      const answer = askUser();
      await card(page, "Which berth?").waitFor();
      await expect
        .poll(async () => {
          await page.keyboard.press(key);
          return card(page, "Which berth?").count();
        })
        .toBe(0);
      expect(JSON.parse(await answer)).toEqual({ action });
    }
  });

  it("a plan is carried out when a person allows it, and the model reads why it was denied", async () => {
    await session.setPermissionMode("plan");
    const seen: string[] = [];
    const heard = (call: RecordedRequest) => {
      seen.push(call.toolResults.at(-1)?.text ?? "");
      return seen.length === 1 ? toolUse("ExitPlanMode", {}) : "I carry it out.";
    };
    world.script(
      ({ body }) => {
        // The CLI takes the plan from the file that it has named to the model.
        const [file_path] = /\/[^\s"`]*\/plans\/[^\s"`]*\.md/.exec(JSON.stringify(body)) ?? [];
        return toolUse("Write", { file_path, content: "# Plan\n\n1. **Splice** the rope." });
      },
      toolUse("ExitPlanMode", {}),
      heard,
      heard,
    );
    const turn = session.send("Plan it.").text();
    const plan = page.getByRole("article").filter({ hasText: "Splice" });
    await plan.locator(".markdown strong").getByText("Splice").waitFor();
    await page.keyboard.press("d");
    await page.getByLabel(/Reason for the model/).fill("Use a new rope.");
    await page.keyboard.press("Enter");
    await expect.poll(() => seen[0]).toContain("Use a new rope.");
    await page.getByRole("button", { name: "Carry out the plan" }).click();
    expect(await turn).toBe("I carry it out.");
    expect(seen[1]).toContain("approved");
  });
});
