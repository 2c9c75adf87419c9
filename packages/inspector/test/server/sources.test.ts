import { createPool } from "hawser";
import { describe, expect, it } from "vitest";
import { PageFiles } from "../../src/files/page-files.js";
import { createInspector } from "../../src/inspector.js";
import { jsonOf } from "./json-of.helper.js";
import { pageFolder } from "./page-folder.helper.js";

const files = new PageFiles(pageFolder());

function get(page: { fetch(request: Request): Promise<Response>; token: string }, path: string) {
  const headers = { authorization: `Bearer ${page.token}` };
  return page.fetch(new Request(`http://localhost${path}`, { headers }));
}

describe("GET /sources", () => {
  it("names the program, whose native API is below its id and below `self`", async ({
    onTestFinished,
  }) => {
    const page = createInspector({ announce: false, name: "ropes" }, files);
    onTestFinished(() => page.close());
    const { sources, hawser } = await jsonOf(get(page, "/sources"));
    expect(hawser).toMatch(/^\d+\.\d+\.\d+/);
    expect(sources).toEqual([
      {
        id: expect.stringMatching(/^\d+-[\da-z]+/),
        name: "ropes",
        kind: "process",
        pid: process.pid,
        startedAt: expect.any(Number),
        isSelf: true,
      },
    ]);
    for (const id of ["self", sources[0].id]) {
      const state = await jsonOf(get(page, `/sources/${id}/hawser/v1/state`));
      expect(state).toMatchObject({ sessions: [], approvals: [] });
    }
    expect((await get(page, "/sources/other/hawser/v1/state")).status).toBe(404);
    expect(await jsonOf(get(page, "/replays"))).toEqual([]);
    expect((await get(page, "/replays/1")).status).toBe(404);
  });

  it("shows the state of a pool that is the source", async ({ onTestFinished }) => {
    const pool = createPool({ size: { min: 0, max: 3 } });
    const page = createInspector({ source: pool, announce: false }, files);
    onTestFinished(async () => {
      await page.close();
      await pool.close();
    });
    const state = await jsonOf(get(page, "/sources/self/hawser/v1/state"));
    expect(state.pool).toEqual(JSON.parse(JSON.stringify(pool.stats())));
  });

  it("refuses a source that it cannot show, with `invalid_options`", () => {
    const make = () => createInspector({ source: {} as never }, files);
    expect(make).toThrow(expect.objectContaining({ code: "invalid_options" }));
  });
});
