import { createHash, createHmac } from "node:crypto";
import { request as httpRequest } from "node:http";
import { isHawserError } from "hawser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PageFiles } from "../../src/files/page-files.js";
import { createInspector, type Inspector } from "../../src/inspector.js";
import { pageFolder } from "./page-folder.helper.js";

let page: Inspector;
let base: string;

beforeAll(async () => {
  page = createInspector(
    { announce: false, hosts: ["ropes.example"] },
    new PageFiles(pageFolder()),
  );
  base = new URL(await page.listen()).origin;
});

afterAll(() => page.close());

interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
}

/** With `node:http`, because `fetch()` does not send a Host, an Origin or a path that it did not make. */
function ask(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(base);
    const sent = httpRequest({ host: "127.0.0.1", port, path, method, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (piece: string) => {
        text += piece;
      });
      response.on("end", () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    sent.on("error", reject);
    sent.end();
  });
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

function codeOf({ text }: Answer): string {
  return JSON.parse(text).error.code;
}

describe("the tokens", () => {
  it.each(["/sources", "/sources/events", "/watch", "/replays", "/sources/self/hawser/v1/state"])(
    "are needed for %s",
    async (path) => {
      const wrong = [{}, bearer("x".repeat(32)), { authorization: page.token }];
      for (const headers of wrong) {
        const answer = await ask(path, headers);
        expect([answer.status, codeOf(answer)]).toEqual([401, "invalid_api_key"]);
        expect(answer.headers["www-authenticate"]).toBe("Bearer");
      }
    },
  );

  it("are not taken from the query", async () => {
    expect((await ask(`/sources?token=${page.token}`)).status).toBe(401);
  });

  it("say what the caller may do", async () => {
    const canControl = async (token: string) =>
      JSON.parse((await ask("/sources", bearer(token))).text).canControl;
    expect(await canControl(page.token)).toBe(true);
    expect(await canControl(page.readToken)).toBe(false);
  });

  it.each([
    ["POST", "/sources/self/hawser/v1/sessions"],
    ["DELETE", "/sources/self/hawser/v1/sessions/x"],
    ["POST", "/sources/self/hawser/v1/approvals/x"],
  ])("for reading refuse %s %s", async (method, path) => {
    const answer = await ask(path, bearer(page.readToken), method);
    expect([answer.status, codeOf(answer)]).toEqual([403, "not_allowed"]);
    // The other token reaches the native API, which knows no such session, question or body.
    expect([400, 404, 415]).toContain((await ask(path, bearer(page.token), method)).status);
  });

  it.each(["short", "has spaces in it and more", "a".repeat(300)])(
    "that a program chooses must be usable: %s",
    (token) => {
      const files = new PageFiles(pageFolder());
      const make = () => createInspector({ token, announce: false }, files);
      expect(make).toThrow(expect.objectContaining({ code: "invalid_options" }));
    },
  );

  it("are random for each inspector", async () => {
    const other = createInspector({ announce: false }, new PageFiles(pageFolder()));
    expect(new Set([page.token, page.readToken, other.token, other.readToken]).size).toBe(4);
    await other.close();
  });
});

describe("GET /hello", () => {
  const nonce = "n".repeat(32);
  /** As the page computes it, written anew. */
  const digest = (bytes: string | Buffer) => createHash("sha256").update(bytes).digest();
  const nameOf = (token: string) => digest(digest(token)).toString("hex").slice(0, 8);
  const proofOf = (token: string) =>
    createHmac("sha256", digest(token)).update(`hawser-hello:${nonce}`).digest("hex");
  const hello = (token: string) => ask(`/hello?nonce=${nonce}&key=${nameOf(token)}`);

  it("proves without a token that the server knows each of its tokens", async () => {
    for (const token of [page.token, page.readToken]) {
      const { tabToken } = JSON.parse((await ask("/sources", bearer(token))).text);
      for (const each of [token, tabToken]) {
        const answer = await hello(each);
        expect([answer.status, JSON.parse(answer.text)]).toEqual([200, { proof: proofOf(each) }]);
      }
    }
    expect((await ask(`/deep/inspect/hello?nonce=${nonce}&key=${nameOf(page.token)}`)).status).toBe(
      200,
    );
  });

  it("proves nothing to a caller who does not know a token", async () => {
    const answer = await hello("x".repeat(32));
    expect([answer.status, codeOf(answer)]).toEqual([401, "invalid_api_key"]);
    expect(answer.text).not.toContain("proof");
  });

  it.each(["", "?nonce=short&key=00000000", `?nonce=${"n".repeat(200)}&key=00000000`, "?nonce=a"])(
    "refuses what is no question: %s",
    async (query) => {
      const answer = await ask(`/hello${query}`);
      expect([answer.status, codeOf(answer)]).toEqual([400, "invalid_request"]);
    },
  );

  it("answers no other web page", async () => {
    const key = nameOf(page.token);
    const headers = { origin: "http://evil.example" };
    expect((await ask(`/hello?nonce=${nonce}&key=${key}`, headers)).status).toBe(403);
  });
});

describe("the token of a tab", () => {
  it("has the rights of the token that it was made for, and is another one after a restart", async () => {
    const tabTokenOf = async (of: Inspector, token: string) => {
      const headers = bearer(token);
      const response = await of.fetch(new Request("http://localhost/sources", { headers }));
      return (await response.json()) as { tabToken: string; canControl: boolean };
    };
    for (const [token, canControl] of [
      [page.token, true],
      [page.readToken, false],
    ] as const) {
      const { tabToken } = await tabTokenOf(page, token);
      expect(tabToken).not.toBe(token);
      expect(await tabTokenOf(page, tabToken)).toMatchObject({ tabToken, canControl });
      const { token: control, readToken } = page;
      const again = createInspector(
        { announce: false, token: control, readToken },
        new PageFiles(pageFolder()),
      );
      const next = await tabTokenOf(again, token);
      expect(next.tabToken).not.toBe(tabToken);
      const headers = bearer(tabToken);
      const refused = await again.fetch(new Request("http://localhost/sources", { headers }));
      expect(refused.status).toBe(401);
      await again.close();
    }
  });
});

describe("the header Host", () => {
  it.each(["evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "[::2]", "a b"])(
    "may not be %j",
    async (host) => {
      for (const path of ["/", "/assets/app-1.js", "/sources"]) {
        const answer = await ask(path, { ...bearer(page.token), host });
        // Node itself refuses a request without a host.
        expect([400, 403]).toContain(answer.status);
      }
    },
  );

  it.each([
    "127.0.0.1",
    "localhost:80",
    "ropes.example",
    "ROPES.example.:443",
    "[::1]:7429",
    "a.localhost",
  ])("may be %j", async (host) => {
    expect((await ask("/sources", { ...bearer(page.token), host })).status).toBe(200);
  });
});

describe("the header Origin", () => {
  it.each(["http://evil.example", "null", "http://127.0.0.1:1", "file://", "http://localhost"])(
    "may not be %j",
    async (origin) => {
      const answer = await ask("/sources", { ...bearer(page.token), origin });
      expect([answer.status, codeOf(answer)]).toEqual([403, "not_allowed"]);
      expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
    },
  );

  it("may be that of the page itself, or of a name that is allowed", async () => {
    for (const origin of [base, "https://ropes.example"]) {
      expect((await ask("/sources", { ...bearer(page.token), origin })).status).toBe(200);
    }
  });

  it.each(["cross-site", "same-site"])(
    "may not be missing in a request that is %s",
    async (site) => {
      const headers = { ...bearer(page.token), "sec-fetch-site": site };
      expect((await ask("/sources", headers)).status).toBe(403);
      // A link on another page may lead to the page, which holds no data.
      expect((await ask("/", headers)).status).toBe(200);
    },
  );

  it("is not allowed by a preflight", async () => {
    const headers = { origin: "http://evil.example", "access-control-request-method": "POST" };
    const answer = await ask("/sources/self/hawser/v1/sessions", headers, "OPTIONS");
    expect(answer.status).toBe(403);
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
  });
});

describe("every answer", () => {
  it.each(["/", "/assets/app-1.js", "/assets/none.js", "/sources", "/nowhere"])(
    "has the security headers: %s",
    async (path) => {
      const { headers } = await ask(path);
      const policy = String(headers["content-security-policy"]);
      const rules = new Map(
        policy.split("; ").map((rule) => [rule.split(" ")[0], rule.split(" ").slice(1).join(" ")]),
      );
      expect(Object.fromEntries(rules)).toMatchObject({
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "connect-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
      });
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
      });
    },
  );

  it("with data is not kept by the browser", async () => {
    const { headers } = await ask("/sources", bearer(page.token));
    expect(headers["cache-control"]).toBe("no-store");
  });
});

describe("the files of the page", () => {
  it("need no token; those with a hash in their name are kept for a year", async () => {
    const index = await ask("/");
    expect(index.text).toContain("assets/app-1.js");
    expect(index.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
    });
    const asset = await ask("/assets/app-1.js");
    expect(asset.headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
    });
  });

  it("are sent compressed to a client that takes it", async () => {
    const { headers } = await ask("/assets/app-1.js", { "accept-encoding": "br, gzip" });
    expect(headers["content-encoding"]).toBe("gzip");
  });

  it.each([
    "/assets/../../secret.js",
    "/assets/..%2f..%2fsecret.js",
    "/assets/%2e%2e/%2e%2e/secret.js",
    "/assets/..\\..\\secret.js",
    "/assets//etc/passwd",
    "/assets/notes.md",
    "/assets/",
    "/assets",
  ])("are found by their exact names only: %s", async (path) => {
    const answer = await ask(path, { accept: "*/*" });
    // Node refuses some of them; others are no file, and then need a token.
    expect([400, 401, 404]).toContain(answer.status);
    expect(answer.text).not.toContain("secret\n");
  });

  it("are below any path that ends with a slash, which a browser is led to", async () => {
    expect((await ask("/deep/inspect/")).text).toContain("assets/app-1.js");
    expect((await ask("/deep/inspect/assets/app-1.js")).status).toBe(200);
    expect((await ask("/deep/inspect/sources", bearer(page.token))).status).toBe(200);
    const led = await ask("/deep/inspect", { accept: "text/html" });
    expect([led.status, led.headers["location"]]).toEqual([307, "./inspect/"]);
  });

  it("take GET and HEAD only, and streams take GET only", async () => {
    expect((await ask("/", {}, "HEAD")).status).toBe(200);
    const answer = await ask("/", {}, "POST");
    expect([answer.status, answer.headers["allow"]]).toEqual([405, "GET, HEAD"]);
    expect((await ask("/watch", bearer(page.token), "HEAD")).status).toBe(405);
  });

  it("are an answer that says what to do if they are missing, and the program goes on", async () => {
    const empty = createInspector({ announce: false }, new PageFiles("/nowhere/at/all"));
    const response = await empty.fetch(new Request("http://localhost/"));
    expect(response.status).toBe(500);
    const { error } = (await response.json()) as { error: { code: string; hint: string } };
    expect(error).toMatchObject({ code: "not_supported", hint: expect.stringContaining("build") });
    await empty.close();
  });

  it("say how to get them if they are missing", async () => {
    const files = new PageFiles("/nowhere/at/all");
    const failure = await files
      .answer(new Request("http://localhost/"), "index.html")
      .catch((e) => e);
    expect(isHawserError(failure, "not_supported") && failure.hint).toContain("npm run build");
  });
});
